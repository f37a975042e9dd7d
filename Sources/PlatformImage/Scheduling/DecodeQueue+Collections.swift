extension DecodeQueue {
    /// Decodes an image from a collection, as ``decode(_:as:with:priority:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied before the job is enqueued. The queue retains the collection until the decode ends.
    public func decode(
        _ bytes: some Collection<UInt8> & Sendable, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> DecodedImage {
        guard bytes.isContiguous else {
            return try await decode([UInt8](bytes), as: contentType, with: decoder, priority: priority)
        }
        let decoder = decoder.bounded(by: budget)
        return try await run(
            bytes, priority,
            prepare: { (span, flag) throws(DecodeError) in
                try decoder.work(.decode, span, as: contentType, flag)
            }
        ).first()
    }

    /// Makes a thumbnail of a file in a collection, as
    /// ``thumbnail(of:options:as:with:priority:)-([UInt8],_,_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied before the job is enqueued. The queue retains the collection until the decode ends.
    public func thumbnail(
        of bytes: some Collection<UInt8> & Sendable, options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> DecodedImage {
        guard bytes.isContiguous else {
            return try await thumbnail(
                of: [UInt8](bytes), options: options, as: contentType, with: decoder, priority: priority)
        }
        let decoder = decoder.bounded(by: budget)
        return try await run(
            bytes, priority,
            prepare: { (span, flag) throws(DecodeError) in
                try decoder.work(.thumbnail(options), span, as: contentType, flag)
            }
        ).first()
    }

    /// Makes several thumbnails of a file in a collection, as
    /// ``thumbnails(of:options:as:with:priority:)-([UInt8],_,_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied before the job is enqueued. The queue retains the collection until the decode ends.
    public func thumbnails(
        of bytes: some Collection<UInt8> & Sendable, options: [ThumbnailOptions],
        as contentType: ContentType? = nil, with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> [DecodedImage] {
        guard bytes.isContiguous else {
            return try await thumbnails(
                of: [UInt8](bytes), options: options, as: contentType, with: decoder, priority: priority)
        }
        let decoder = decoder.bounded(by: budget)
        return try await run(
            bytes, priority,
            prepare: { (span, flag) throws(DecodeError) in
                try decoder.work(.thumbnails(options, isComplete: true), span, as: contentType, flag)
            }
        ).images()
    }

    private func run(
        _ bytes: some Collection<UInt8> & Sendable, _ priority: Priority,
        prepare: @escaping @Sendable (Span<UInt8>, CancellationFlag) throws(DecodeError) -> PreparedWork
    ) async throws(DecodeError) -> ThumbnailResults {
        try await submit(priority) { flag, complete in
            do throws(DecodeError) {
                let prepared = try bytes.withSpan { (span) throws(DecodeError) in try prepare(span, flag) }
                return .needs(max(1, prepared.byteCount)) { start in
                    .done(
                        complete(start) { () throws(DecodeError) in
                            try bytes.withSpan { (span) throws(DecodeError) in try prepared.images(span) }
                        })
                }
            } catch {
                return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }
}
