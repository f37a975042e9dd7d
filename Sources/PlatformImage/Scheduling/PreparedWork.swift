/// A decode after its header was read: its memory is known, and no pixels are allocated.
///
/// The decode runs in this process, or in a worker process that has read the header.
struct PreparedWork<Result: Sendable>: Sendable {
    /// Bytes to reserve for the decode; 0 when it makes no image.
    let byteCount: Int
    /// Decodes; the bytes must be those whose header was read.
    let make: @Sendable (Span<UInt8>) throws(DecodeError) -> Result
}

extension ImageDecoder {
    /// Prepares ``decode(_:as:cancellation:)-(Span<UInt8>,_,_)``.
    func preparedDecode(
        _ bytes: Span<UInt8>, as contentType: ContentType?, cancellation flag: CancellationFlag?
    ) throws(DecodeError) -> PreparedWork<DecodedImage> {
        if let isolated = isolated(bytes, as: contentType, flag) {
            let measured = try isolated.measure(.decode, bytes)
            return PreparedWork(byteCount: measured.byteCount) { (bytes) throws(DecodeError) in
                try isolated.images(measured, bytes).first()
            }
        }
        let prepared = try prepare(bytes, as: contentType, cancellation: flag)
        return PreparedWork(byteCount: prepared.byteCount) { (bytes) throws(DecodeError) in
            try decode(prepared, bytes)
        }
    }

    /// Prepares ``thumbnail(of:options:as:cancellation:)-(Span<UInt8>,_,_,_)``.
    func preparedThumbnail(
        _ bytes: Span<UInt8>, options: ThumbnailOptions, as contentType: ContentType?,
        cancellation flag: CancellationFlag?
    ) throws(DecodeError) -> PreparedWork<DecodedImage> {
        if let isolated = isolated(bytes, as: contentType, flag) {
            let measured = try isolated.measure(.thumbnail(options), bytes)
            return PreparedWork(byteCount: measured.byteCount) { (bytes) throws(DecodeError) in
                try isolated.images(measured, bytes).first()
            }
        }
        let prepared = try PreparedThumbnail(
            bytes, declared: contentType, decoder: self, options: options, flag: flag)
        return PreparedWork(byteCount: prepared.byteCount) { (bytes) throws(DecodeError) in
            try thumbnail(prepared, bytes)
        }
    }

    /// Prepares ``thumbnails(of:options:as:cancellation:)-(Span<UInt8>,_,_,_)``.
    ///
    /// - Parameter isComplete: False when an option with an error does not affect the other thumbnails.
    func preparedThumbnails(
        _ bytes: Span<UInt8>, options: [ThumbnailOptions], isComplete: Bool, as contentType: ContentType?,
        cancellation flag: CancellationFlag?
    ) throws(DecodeError) -> PreparedWork<ThumbnailResults> {
        if let isolated = isolated(bytes, as: contentType, flag) {
            let measured = try isolated.measure(.thumbnails(options, isComplete: isComplete), bytes)
            return PreparedWork(byteCount: options.isEmpty ? 0 : measured.byteCount) { (bytes) throws(DecodeError) in
                try isolated.images(measured, bytes)
            }
        }
        let batch = try ThumbnailBatch(
            bytes, declared: contentType, decoder: self, options: options, flag: flag)
        if isComplete, let error = batch.firstError { throw error }
        return PreparedWork(byteCount: batch.byteCount) { (bytes) throws(DecodeError) in
            try thumbnails(batch, bytes)
        }
    }
}
