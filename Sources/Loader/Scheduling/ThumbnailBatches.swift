internal import PlatformImage
internal import Synchronization

/// The thumbnail or the error of each size.
typealias ThumbnailResultsBySize = [ThumbnailOptions: Result<DecodedImage, DecodeError>]

/// Collects thumbnail sizes of one body until their decode starts, so that one decode makes all of them.
///
/// A size that is requested after the start begins a new batch. Cancelling a waiting load removes its size from a batch
/// that has not started; when no load waits for a batch, its decode is cancelled.
final class ThumbnailBatches<Body: Hashable & Sendable>: Sendable {
    typealias Jobs = InFlightRequests<Key, ThumbnailResultsBySize>

    struct Key: Hashable, Sendable {
        fileprivate let body: Body
        fileprivate let number: UInt64
    }

    private struct Batch {
        let number: UInt64
        /// The number of loads that wait for each size.
        var sizes: [ThumbnailOptions: Int] = [:]
    }

    private struct State {
        /// The batches whose decode has not started.
        var open: [Body: Batch] = [:]
        var lastNumber: UInt64 = 0
    }

    let jobs = Jobs()
    private let state = Mutex(State())

    /// Number of batches whose decode has not started, for tests.
    var openCount: Int { state.locked(in: self) { $0.open.count } }

    /// The thumbnail of one size.
    ///
    /// - Parameters:
    ///   - body: The body with its decode options.
    ///   - decode: Makes the thumbnails. It calls its argument once, when it starts, to obtain the sizes.
    func thumbnail(
        _ size: ThumbnailOptions, of body: Body,
        by decode:
            @escaping @Sendable (_ sizes: @escaping @Sendable () -> [ThumbnailOptions]) async -> ThumbnailResultsBySize
    ) async -> Result<DecodedImage, DecodeError> {
        while true {
            // Joined while the lock is held, so that the batch cannot end before its job has this waiter.
            let (waiter, number) = state.locked(in: self) { state in
                if state.open[body] == nil {
                    state.lastNumber += 1
                    state.open[body] = Batch(number: state.lastNumber)
                }
                state.open[body]?.sizes[size, default: 0] += 1
                let number = state.open[body]?.number ?? 0
                let waiter = jobs.join(Key(body: body, number: number), wantsProgress: false) { [self] _ in
                    let results = await decode { self.close(body, number) }
                    _ = close(body, number)  // A decode that never started did not close it.
                    return results
                }
                return (waiter, number)
            }
            guard let results = await waiter.output() else {
                leave(size, body, number)
                return .failure(.cancelled)
            }
            if let result = results[size] { return result }
            // The decode ended between the removal of its last waiter and this call.
            if Task.isCancelled { return .failure(.cancelled) }
        }
    }

    /// Ends the collection of sizes; a batch that was closed already has none.
    private func close(_ body: Body, _ number: UInt64) -> [ThumbnailOptions] {
        state.locked(in: self) { state in
            guard let batch = state.open[body], batch.number == number else { return [] }
            state.open[body] = nil
            return Array(batch.sizes.keys)
        }
    }

    private func leave(_ size: ThumbnailOptions, _ body: Body, _ number: UInt64) {
        state.locked(in: self) { state in
            guard var batch = state.open[body], batch.number == number, let count = batch.sizes[size] else { return }
            batch.sizes[size] = count > 1 ? count - 1 : nil
            state.open[body] = batch.sizes.isEmpty ? nil : batch
        }
    }
}
