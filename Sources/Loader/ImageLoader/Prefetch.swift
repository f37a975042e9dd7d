#if Loader
/// Pictures that are being loaded ahead of their use; made by ``ImageLoader/prefetch(_:to:priority:)``.
///
/// Releasing it gives up what is not loaded yet.
public final class Prefetch: Sendable {
    /// Where the pictures are to be found later.
    public enum Destination: Hashable, Sendable, CaseIterable {
        /// Decoded and in memory, and on disk; where nothing is kept in memory as ``disk``.
        case memory
        /// On disk, with its header checked and no bitmap kept.
        case disk
    }

    /// How far a prefetch has come. After its end the three add up to ``total``, unless it was cancelled.
    public struct Counts: Hashable, Sendable {
        /// Requests that were given.
        public internal(set) var total = 0
        /// Loaded.
        public internal(set) var done = 0
        /// Ended with an error.
        public internal(set) var failed = 0
        /// There already and fresh, or given twice.
        public internal(set) var skipped = 0
    }

    private let work: PrefetchWork

    init(_ work: PrefetchWork) { self.work = work }

    deinit { work.cancel() }

    /// How far it has come.
    public var counts: Counts { work.counts }

    /// How soon its pictures are wanted; `slow` unless told otherwise.
    public var priority: LoadPriority { work.priority }

    /// Changes ``priority``, of what is under way too; nothing is restarted.
    public func setPriority(_ priority: LoadPriority) { work.setPriority(priority) }

    /// Begins no further picture until ``resume()``; those that have begun go on.
    public func pause() { work.setPaused(true) }

    /// Ends ``pause()``, however often that was called.
    public func resume() { work.setPaused(false) }

    /// Gives up what is not loaded yet, for good: downloads that others wait for too go on for them.
    public func cancel() { work.cancel() }

    /// Returns when nothing is left to do, with the final counts; when the calling task is cancelled at once, with those
    /// of that moment. A paused prefetch does not end before it is resumed or cancelled.
    @discardableResult
    public func end() async -> Counts {
        await work.end()
        return work.counts
    }
}

extension ImageLoader {
    /// Loads pictures ahead of their use, in order, behind whatever is urgent.
    ///
    /// What is there and fresh is skipped, what is being loaded is joined. Of a few requests at a time, as many as the
    /// lane of the priority is wide, each is a load like any other: by its policy, repeated as
    /// ``Configuration/retry`` says, with its failures remembered.
    ///
    /// - Parameters:
    ///   - requests: Their own priorities do not count.
    ///   - destination: Where they are to be found later.
    ///   - priority: Which queue they wait in.
    /// - Returns: Keep it: releasing it gives up what is not loaded yet.
    public func prefetch(
        _ requests: [ImageRequest], to destination: Prefetch.Destination = .memory, priority: LoadPriority = .slow
    ) -> Prefetch {
        let work = PrefetchWork(requests, to: destination, priority, by: self)
        work.advance()
        return Prefetch(work)
    }
}
#endif
