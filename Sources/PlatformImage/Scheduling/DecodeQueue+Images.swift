extension DecodeQueue {
    /// Decodes on the queue's threads, after the memory for the decode is reserved from the ``budget``.
    ///
    /// A file is opened on the queue's threads, and not open while the job waits for memory: its header is read, and
    /// after the memory is reserved, the file is opened again. The reservation includes the bytes of a file that is
    /// read, not those of a mapped file. For a file of 1 MiB or more that is not mapped, memory is reserved twice: for
    /// its bytes before the header is read, and then for the decode; the file is read after each reservation.
    ///
    /// - Parameters:
    ///   - source: The complete file; retained until the decode ends.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - finish: Called once with the decoded image, on the decoding thread, while the memory of the decode is still
    ///     reserved; it should return quickly. By default the image is the result.
    ///
    ///     Memory that `finish` does not retain is released before the next decode can reserve the bytes. A bitmap that
    ///     `finish` inserts into a cache counts for that cache's limit, so budget and cache together bound the memory,
    ///     even if the caller resumes late.
    /// - Returns: The result of `finish`.
    /// - Throws: The decoder's errors; `limitExceeded` with the detail `decodeBudget` when the decode alone needs more
    ///   than ``DecodeBudget/maxBytes``; `fileUnreadable`, with the detail `changed` also when the file was replaced by
    ///   one that needs more memory while the job waited; `cancelled` when the awaiting task was cancelled before the
    ///   decode was done.
    public func decode<Result: Sendable>(
        _ source: some ImageSourceConvertible, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal,
        finish: @escaping @Sendable (DecodedImage) -> Result = { (image: DecodedImage) -> DecodedImage in image }
    ) async throws(DecodeError) -> Result {
        try await make(.decode, source.imageSource, as: contentType, decoder, priority) {
            (results, _) throws(DecodeError) in
            finish(try results.first())
        }
    }

    /// Decodes as the public method does; `finish` also receives the duration of the decode on its thread.
    package func decode<Result: Sendable>(
        _ source: some ImageSourceConvertible, as contentType: ContentType? = nil, with decoder: ImageDecoder,
        priority: Priority, timed finish: @escaping @Sendable (DecodedImage, Duration) -> Result
    ) async throws(DecodeError) -> Result {
        try await make(.decode, source.imageSource, as: contentType, decoder, priority) {
            (results, time) throws(DecodeError) in
            finish(try results.first(), time)
        }
    }

    /// Makes a thumbnail on the queue's threads, after the memory for the thumbnail is reserved from the ``budget``:
    /// for most formats, much less than a decode of the full image needs.
    ///
    /// - Parameters:
    ///   - source: The complete file; see ``decode(_:as:with:priority:finish:)``.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - finish: Called once with the thumbnail, on the decoding thread, while its memory is still reserved, for
    ///     example to encode it. By default the thumbnail is the result.
    /// - Returns: The result of `finish`.
    /// - Throws: The errors of ``ImageDecoder/thumbnail(of:options:as:cancellation:)``; `limitExceeded` with the detail
    ///   `decodeBudget` when the thumbnail alone needs more than ``DecodeBudget/maxBytes``; `fileUnreadable` as
    ///   ``decode(_:as:with:priority:finish:)``; `cancelled` when the awaiting task was cancelled before the end.
    public func thumbnail<Result: Sendable>(
        of source: some ImageSourceConvertible, options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal,
        finish: @escaping @Sendable (DecodedImage) -> Result = { (image: DecodedImage) -> DecodedImage in image }
    ) async throws(DecodeError) -> Result {
        try await make(.thumbnail(options), source.imageSource, as: contentType, decoder, priority) {
            (results, _) throws(DecodeError) in
            finish(try results.first())
        }
    }

    /// Makes several thumbnails of one file with one decode, as one job on the queue's threads, after the memory for
    /// all of them is reserved from the ``budget``.
    ///
    /// - Parameters:
    ///   - source: The complete file; see ``decode(_:as:with:priority:finish:)``.
    ///   - options: Size, fit, crop and filter of each thumbnail.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    /// - Returns: The thumbnails in the order of `options`; see
    ///   ``ImageDecoder/thumbnails(of:options:as:cancellation:)``.
    /// - Throws: The errors of ``ImageDecoder/thumbnails(of:options:as:cancellation:)``; `limitExceeded` with the
    ///   detail `decodeBudget` when the thumbnails, decoded one after another, need more than
    ///   ``DecodeBudget/maxBytes``; `fileUnreadable` as ``decode(_:as:with:priority:finish:)``; `cancelled` when the
    ///   awaiting task was cancelled before the end.
    public func thumbnails(
        of source: some ImageSourceConvertible, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> [DecodedImage] {
        let operation = ImageOperation.thumbnails(options, isComplete: true)
        return try await make(operation, source.imageSource, as: contentType, decoder, priority) {
            (results, _) throws(DecodeError) in
            try results.images()
        }
    }

    /// Reads the header of a source, reserves memory, and makes the images.
    ///
    /// - Parameter finish: Called with the images and the duration of their decode, while the memory is reserved.
    private func make<Made: Sendable>(
        _ operation: ImageOperation, _ source: ImageSource, as contentType: ContentType?, _ decoder: ImageDecoder,
        _ priority: Priority,
        finish: @escaping @Sendable (ThumbnailResults, Duration) throws(DecodeError) -> Made
    ) async throws(DecodeError) -> Made {
        let decoder = decoder.bounded(by: budget)
        let prepare: Preparation = { (bytes, open, flag) throws(DecodeError) in
            try decoder.work(operation, bytes, as: open.declaredType(contentType, bytes), flag)
        }
        @Sendable func images(_ work: PreparedWork, _ bytes: Span<UInt8>) throws(DecodeError) -> Made {
            let begin = ContinuousClock.now
            let results = try work.images(bytes)
            return try finish(results, begin.duration(to: .now))
        }
        if case .file(let file) = source.storage {
            return try await make(file, decoder.options.limits, priority, prepare: prepare, images)
        }
        return try await submit(priority) { flag, complete in
            do throws(DecodeError) {
                let limits = decoder.options.limits
                let work = try source.withBytes(limits, flag) { (bytes, open) throws(DecodeError) in
                    try prepare(bytes, open, flag)
                }
                let make: @Sendable () throws(DecodeError) -> Made = { () throws(DecodeError) in
                    try source.withBytes(limits, flag) { (bytes, _) throws(DecodeError) in try images(work, bytes) }
                }
                guard work.byteCount > 0 else { return .done(complete(.now, make)) }
                return .needs(work.byteCount) { start in .done(complete(start, make)) }
            } catch {
                return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }

    /// Reads the header of the open bytes of a source.
    typealias Preparation =
        @Sendable (Span<UInt8>, OpenSource, CancellationFlag) throws(DecodeError) -> PreparedWork
}
