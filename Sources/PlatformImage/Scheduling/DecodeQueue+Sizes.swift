import Synchronization

extension DecodeQueue {
    /// Makes thumbnails of the sizes that are known when the decode starts, with one decode, on the queue's threads.
    ///
    /// - Parameters:
    ///   - sizes: Called exactly once: when the decode starts, or when it fails before.
    ///   - time: Called with the duration of the decode on its thread; not called when no size can be made.
    /// - Returns: Each size with its thumbnail or error.
    package func thumbnails(
        of bytes: [UInt8], with decoder: ImageDecoder, priority: Priority,
        sizes: @escaping @Sendable () -> [ThumbnailOptions], time: @escaping @Sendable (Duration) -> Void
    ) async -> [(size: ThumbnailOptions, result: Result<DecodedImage, DecodeError>)] {
        let decoder = decoder.bounded(by: budget)
        let collected = CollectedSizes(sizes)
        do throws(DecodeError) {
            let results = try await submit(priority) { flag, complete in
                do throws(DecodeError) {
                    let work = try decoder.work(
                        .thumbnails(collected.values, isComplete: false), bytes.span, flag)
                    let make: @Sendable () throws(DecodeError) -> [Result<DecodedImage, DecodeError>] = {
                        () throws(DecodeError) in
                        let begin = ContinuousClock.now
                        let made = try work.images(bytes.span)
                        if made.decodeCount > 0 { time(begin.duration(to: .now)) }
                        return made.results
                    }
                    guard work.byteCount > 0 else { return .done(complete(.now, make)) }
                    return .needs(work.byteCount) { start in .done(complete(start, make)) }
                } catch {
                    return .done(complete(.refused(error)) { () throws(DecodeError) in throw error })
                }
            }
            return zip(collected.values, results).map { (size: $0, result: $1) }
        } catch {
            return collected.values.map { (size: $0, result: .failure(error)) }
        }
    }

    /// Sizes that are requested when they are read for the first time.
    private final class CollectedSizes: Sendable {
        private let state = Mutex<[ThumbnailOptions]?>(nil)
        private let request: @Sendable () -> [ThumbnailOptions]

        init(_ request: @escaping @Sendable () -> [ThumbnailOptions]) { self.request = request }

        /// Read by one thread at a time: on the queue's thread, then by the caller.
        var values: [ThumbnailOptions] {
            if let values = state.locked(in: self, { $0 }) { return values }
            let values = request()
            state.locked(in: self) { $0 = values }
            return values
        }
    }
}
