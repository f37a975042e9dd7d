// Memory of an operation that is known before it, for callers that reserve it or choose between operations.

extension ImageDecoder {
    /// An upper estimate, in bytes, of the peak memory of ``decode(_:as:cancellation:)``, including its
    /// pixels; at least 1.
    ///
    /// - Throws: The errors that ``decode(_:as:cancellation:)`` throws before it decodes pixels.
    package func decodeByteCount(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try backend(bytes.span, as: contentType, cancellation, retaining: bytes).decodeByteCount(bytes.span)
    }

    /// An upper estimate, in bytes, of the peak memory of ``thumbnail(of:options:as:cancellation:)``,
    /// including its pixels; at least 1.
    ///
    /// - Throws: The errors that ``thumbnail(of:options:as:cancellation:)`` throws before it decodes
    ///   pixels.
    package func thumbnailByteCount(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try thumbnailCost(of: bytes, options: options, as: contentType, cancellation: cancellation).byteCount
    }

    /// Returns the decode plan of a thumbnail, and an upper estimate, in bytes, of the peak memory of
    /// ``thumbnail(of:options:as:cancellation:)``, including its pixels, at least 1.
    ///
    /// - Parameter known: The cost of a probable thumbnail of the same file; it is returned when this thumbnail and the
    ///   options of the decoder are the expected ones.
    /// - Throws: The errors that the method `thumbnail` throws before it decodes pixels.
    package func thumbnailCost(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        known: KnownThumbnailCost? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (byteCount: Int, plan: ThumbnailPlan) {
        if let known, known.options == options, known.decodeOptions == self.options {
            return (known.byteCount, known.plan)
        }
        return try backend(bytes.span, as: contentType, cancellation, retaining: bytes)
            .thumbnailCost(options, bytes.span)
    }

    /// Makes several thumbnails of one file, each identical to a separate
    /// ``thumbnail(of:options:as:cancellation:)``; those with equal plans share one decode.
    ///
    /// - Parameter all: Options of at least one thumbnail. A thumbnail that is made from an embedded thumbnail
    ///   (``ThumbnailOptions/usesEmbeddedThumbnail``) is decoded separately.
    /// - Returns: The thumbnails in the order of the options, and the number of decodes.
    /// - Throws: The errors of the method `thumbnail`, also when only one of the thumbnails fails.
    package func thumbnailsGroupedByPlan(
        of bytes: [UInt8], options all: [ThumbnailOptions], cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (images: [DecodedImage], decodeCount: Int) {
        let results = try backend(bytes.span, as: nil, cancellation, retaining: bytes)
            .images(.thumbnailsByPlan(all), bytes.span)
        return (try results.images(), results.decodeCount)
    }

    /// Reads the header of a file and, in a worker process, computes the cost of the expected thumbnail in the same
    /// exchange of messages.
    ///
    /// - Parameter options: The thumbnail for which ``thumbnailCost(of:options:as:known:cancellation:)`` is probably
    ///   called next, nil for none; called at most once, and only when an exchange is saved.
    /// - Returns: The header; the cost is nil when no exchange is saved, or when the thumbnail cannot be made.
    /// - Throws: The errors of ``header(of:as:cancellation:)``.
    package func header(
        of bytes: [UInt8], expecting options: @autoclosure () -> ThumbnailOptions?,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        try backend(bytes.span, as: nil, cancellation, retaining: bytes).header(bytes.span, expecting: options)
    }
}
