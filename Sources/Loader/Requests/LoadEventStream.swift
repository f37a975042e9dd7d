#if Loader
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

extension LoadEvent {
    /// True when a later one of its kind makes this one superfluous.
    var isProgress: Bool {
        if case .progress = self { true } else { false }
    }
}
#endif
