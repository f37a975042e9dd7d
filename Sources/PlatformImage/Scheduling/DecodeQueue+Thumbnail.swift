extension DecodeQueue {
    /// Makes a thumbnail off the caller's thread, as soon as the budget has the bytes: those that it really holds, for
    /// most formats far less than the picture has.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: What the sender declared; nil for nothing.
    ///   - decoder: Options, limits and remembered colour transforms; share one between calls.
    ///   - priority: The lane to wait in.
    /// - Throws: What ``ImageDecoder/thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` throws; `limitExceeded`
    ///   with the detail `decodeBudget` when the thumbnail alone needs more than the whole ``budget``; `cancelled` when
    ///   the awaiting task was cancelled before it was done.
    public func thumbnail(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> DecodedImage {
        try await thumbnail(of: bytes, options: options, as: contentType, with: decoder, priority: priority) { $0 }
    }

    /// Makes a thumbnail off the caller's thread and finishes there, encoding it for example, while its bytes still
    /// count as taken.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Size, fit, crop and filter.
    ///   - contentType: What the sender declared; nil for nothing.
    ///   - decoder: Options, limits and remembered colour transforms; share one between calls.
    ///   - priority: The lane to wait in.
    ///   - finish: Is called once with the thumbnail, on the decoding thread.
    /// - Returns: What `finish` returned.
    /// - Throws: As the other `thumbnail`.
    public func thumbnail<Result: Sendable>(
        of bytes: [UInt8], options: ThumbnailOptions, as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal,
        finish: @escaping @Sendable (DecodedImage) -> Result
    ) async throws(DecodeError) -> Result {
        let decoder = decoder.bounded(by: budget)
        return try await submit(priority) { flag, ended in
            do throws(DecodeError) {
                let prepared = try PreparedThumbnail(
                    bytes.span, declared: contentType, decoder: decoder, options: options, flag: flag)
                return .needs(prepared.byteCount) { start in
                    ended(start) { () throws(DecodeError) in finish(try decoder.thumbnail(prepared, bytes.span)) }
                }
            } catch {
                return .done(ended(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }
}
