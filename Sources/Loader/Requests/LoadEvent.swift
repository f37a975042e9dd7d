/// One event of a load, in the order `cached? (sendingRequest progress* (retrying progress*)*)? finished`.
///
/// More cases may come with a minor version: a `switch` outside of this package needs `@unknown default`.
@nonexhaustive
public enum LoadEvent: Sendable {
    /// A stored image is available. Unless it is fresh, a newer image or an error may follow.
    case cached(LoadedImage)
    /// A request is about to be sent to the origin.
    case sendingRequest(didHaveCachedImage: Bool)
    /// Bytes of the body received so far, and the total if the origin declared it; intermediate events may be skipped.
    case progress(received: Int, expected: Int?)
    /// An attempt failed and the next one follows after `delay`; `attempt` is the number of the next attempt, at least
    /// 2.
    case retrying(attempt: Int, delay: Duration, reason: LoadError)
    /// The end of the load, exactly once.
    case finished(Result<LoadedImage, LoadError>)
}

/// The events of a load. Each iterator starts a separate load when it is created.
///
/// Releasing the iterator or cancelling the reading task cancels the load. The last element is
/// ``LoadEvent/finished(_:)``, also for a cancelled load.
public struct LoadEventStream: AsyncSequence, Sendable {
    public typealias Element = LoadEvent
    typealias Run = @Sendable (LoadChannel<LoadEvent>) async -> Void
    private let run: Run

    init(_ run: @escaping Run) { self.run = run }

    /// Starts a load.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: Reader(run)) }

    /// Iterates over the events of one load.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        /// The next event; nil after the last one.
        public mutating func next() async -> LoadEvent? { await reader.next() }
    }

    fileprivate final class Reader: Sendable {
        private let channel = LoadChannel<LoadEvent>()
        private let task: Task<Void, Never>

        init(_ run: @escaping Run) {
            let channel = channel
            task = Task {
                await run(channel)
                channel.close()
            }
        }

        deinit { task.cancel() }

        func next() async -> LoadEvent? {
            await withTaskCancellationHandler {
                await channel.next()
            } onCancel: {
                task.cancel()
            }
        }
    }
}
