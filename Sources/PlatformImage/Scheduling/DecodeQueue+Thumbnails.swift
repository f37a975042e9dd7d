extension DecodeQueue {
    /// Makes several thumbnails of one file with one decode, as one job on the queue's threads, after the memory for
    /// all of them is reserved from the ``budget``.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - options: Size, fit, crop and filter of each thumbnail.
    ///   - contentType: The type declared by the sender; nil for none.
    ///   - decoder: Options, limits and cached colour transforms; share one between calls.
    ///   - priority: The priority of the job while it waits for a thread.
    /// - Returns: The thumbnails in the order of `options`; see
    ///   ``ImageDecoder/thumbnails(of:options:as:cancellation:)-([UInt8],_,_,_)``.
    /// - Throws: The errors of ``ImageDecoder/thumbnails(of:options:as:cancellation:)-([UInt8],_,_,_)``;
    ///   `limitExceeded` with the detail `decodeBudget` when the thumbnails, decoded one after another, need more than
    ///   ``DecodeBudget/maxBytes``; `cancelled` when the awaiting task was cancelled before the end.
    public func thumbnails(
        of bytes: [UInt8], options: [ThumbnailOptions], as contentType: ContentType? = nil,
        with decoder: ImageDecoder = ImageDecoder(), priority: Priority = .normal
    ) async throws(DecodeError) -> [DecodedImage] {
        let decoder = decoder.bounded(by: budget)
        return try await submit(priority) { flag, complete in
            do throws(DecodeError) {
                let work = try decoder.work(
                    .thumbnails(options, isComplete: true), bytes.span, as: contentType, flag)
                guard work.byteCount > 0 else { return .done(complete(.now) { [] }) }
                return .needs(work.byteCount) { start in
                    .done(
                        complete(start) { () throws(DecodeError) in
                            try work.images(bytes.span).images()
                        })
                }
            } catch {
                return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
            }
        }
    }
}
