#if Loader
/// One step of a load, in the order `cached? (sendingRequest progress* (retrying progress*)*)? finished`.
public enum LoadEvent: Sendable {
    /// A stored picture is shown. Unless it is fresh, a better one or an error may follow.
    case cached(LoadedImage)
    /// The origin is about to be asked.
    case sendingRequest(didHaveCachedImage: Bool)
    /// Bytes of the body so far, and in all if the origin said so; some steps may be left out.
    case progress(received: Int, expected: Int?)
    /// An attempt failed and another one follows after a wait; `attempt` counts from 2.
    case retrying(attempt: Int, delay: Duration, reason: LoadError)
    /// The end, exactly once.
    case finished(Result<LoadedImage, LoadError>)
}

/// The steps of a load, which begins when they are first asked for; each iterator is a load of its own.
///
/// Whoever stops reading gives the load up: releasing the iterator or cancelling the reading task cancels it. The last
/// element is ``LoadEvent/finished(_:)``, also after that.
public struct LoadEventStream: AsyncSequence, Sendable {
    public typealias Element = LoadEvent
    typealias Run = @Sendable (LoadChannel<LoadEvent>) async -> Void
    private let run: Run

    init(_ run: @escaping Run) { self.run = run }

    /// Starts a load.
    public func makeAsyncIterator() -> Iterator { Iterator(reading: Reading(run)) }

    /// Gives step after step.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading

        /// The next step; nil after the last one.
        public mutating func next() async -> LoadEvent? { await reading.next() }
    }

    fileprivate final class Reading: Sendable {
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
#endif
