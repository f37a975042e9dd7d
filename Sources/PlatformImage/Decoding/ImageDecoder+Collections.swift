// Overloads for bytes in other types than arrays, such as `Data` of Foundation and `ByteBufferView` of SwiftNIO.

extension ImageDecoder {
    /// Reads the header of a file in a collection, as ``header(of:as:cancellation:)-([UInt8],_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func header(
        of bytes: some Collection<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try bytes.withSpan { (span) throws(DecodeError) in
            try header(of: span, as: contentType, cancellation: cancellation)
        }
    }

    /// Decodes an image from a collection, as ``decode(_:as:cancellation:)-([UInt8],_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func decode(
        _ bytes: some Collection<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try bytes.withSpan { (span) throws(DecodeError) in
            try decode(span, as: contentType, cancellation: cancellation)
        }
    }

    /// Makes a thumbnail of a file in a collection, as
    /// ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func thumbnail(
        of bytes: some Collection<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try bytes.withSpan { (span) throws(DecodeError) in
            try thumbnail(of: span, options: options, as: contentType, cancellation: cancellation)
        }
    }

    /// Makes several thumbnails of a file in a collection, as
    /// ``thumbnails(of:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func thumbnails(
        of bytes: some Collection<UInt8>, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try bytes.withSpan { (span) throws(DecodeError) in
            try thumbnails(of: span, options: options, as: contentType, cancellation: cancellation)
        }
    }

    /// The frames of a GIF, APNG or WebP in a collection, as ``frames(of:as:cancellation:)-([UInt8],_,_)`` returns
    /// them.
    ///
    /// The frames are decoded after this call returns, so the bytes are copied to an array first.
    public func frames(
        of bytes: some Collection<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        try frames(of: [UInt8](bytes), as: contentType, cancellation: cancellation)
    }

    /// Makes thumbnails of all composed frames of a GIF, APNG or WebP in a collection, as
    /// ``thumbnails(ofFramesIn:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are copied to an array first.
    public func thumbnails(
        ofFramesIn bytes: some Collection<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (frames: [AnimationFrame], status: DecodeStatus) {
        try thumbnails(ofFramesIn: [UInt8](bytes), options: options, as: contentType, cancellation: cancellation)
    }
}

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
                try decoder.preparedDecode(span, as: contentType, cancellation: flag)
            },
            result: { $0 })
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
                try decoder.preparedThumbnail(span, options: options, as: contentType, cancellation: flag)
            },
            result: { $0 })
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
                try decoder.preparedThumbnails(
                    span, options: options, isComplete: true, as: contentType, cancellation: flag)
            },
            result: { (results) throws(DecodeError) in try results.images() })
    }

    private func run<Made: Sendable, Result: Sendable>(
        _ bytes: some Collection<UInt8> & Sendable, _ priority: Priority,
        prepare: @escaping @Sendable (Span<UInt8>, CancellationFlag) throws(DecodeError) -> PreparedWork<Made>,
        result: @escaping @Sendable (Made) throws(DecodeError) -> Result
    ) async throws(DecodeError) -> Result {
        try await submit(priority) { flag, complete in
            do throws(DecodeError) {
                let prepared = try bytes.withSpan { (span) throws(DecodeError) in try prepare(span, flag) }
                return .needs(max(1, prepared.byteCount)) { start in
                    .done(
                        complete(start) { () throws(DecodeError) in
                            try result(try bytes.withSpan { (span) throws(DecodeError) in try prepared.make(span) })
                        })
                }
            } catch {
                return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }
}
