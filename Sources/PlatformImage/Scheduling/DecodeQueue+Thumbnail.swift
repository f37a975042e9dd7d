extension DecodeQueue {
    /// Makes a thumbnail on the queue's threads, after the memory for the thumbnail is reserved from the ``budget``:
    /// for most formats, much less than a decode of the full image needs.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    /// - Throws: The errors of ``ImageDecoder/thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``; `limitExceeded`
    ///   with the detail `decodeBudget` when the thumbnail alone needs more than ``DecodeBudget/maxBytes``; `cancelled`
    ///   when the awaiting task was cancelled before the end.
    public func thumbnail(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> DecodedImage {
        try await thumbnail(of: bytes, options: options, as: contentType, with: decoder, priority: priority) { $0 }
    }

    /// Makes a thumbnail on the queue's threads and calls `finish` there, for example to encode it, while its memory is
    /// still reserved.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - finish: Called once with the thumbnail, on the decoding thread.
    /// - Returns: The result of `finish`.
    /// - Throws: The errors of the `thumbnail` method without `finish`.
    public func thumbnail<Result: Sendable>(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal,
        finish: @escaping @Sendable (DecodedImage) -> Result
    ) async throws(DecodeError) -> Result {
        let decoder = decoder.bounded(by: budget)
        return try await submit(priority) { flag, complete in
            do throws(DecodeError) {
                let work = try decoder.work(.thumbnail(options), bytes.span, as: contentType, flag)
                return .needs(work.byteCount) { start in
                    .done(
                        complete(start) { () throws(DecodeError) in
                            finish(try work.images(bytes.span).first())
                        })
                }
            } catch {
                return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }
}
