/// A running prefetch of images; created by ``ImageLoader/prefetch(_:to:priority:)``.
///
/// Releasing it cancels the requests that have not finished.
public final class Prefetch: Sendable {
    /// The cache layer that receives the images.
    public enum Destination: Hashable, Sendable, CaseIterable {
        /// Decoded images in memory, and their files on disk. Acts as ``disk`` when the memory cache is disabled or not
        /// among the layers of the request.
        case memory
        /// Files on disk; the image header is checked and no bitmap is stored.
        case disk
    }

    /// Progress of a prefetch. At the end `done`, `failed` and `skipped` add up to ``total``, unless it was cancelled.
    public struct Counts: Hashable, Sendable {
        /// Number of requests.
        public internal(set) var total = 0
        /// Number of requests that loaded their image.
        public internal(set) var done = 0
        /// Number of requests that failed.
        public internal(set) var failed = 0
        /// Number of requests that were duplicates or whose image was already fresh in the cache layer of the
        /// destination.
        public internal(set) var skipped = 0
    }

    private let work: PrefetchWork

    init(_ work: PrefetchWork) { self.work = work }

    deinit { work.cancel() }

    /// Progress so far.
    public var counts: Counts { work.counts }

    /// Current priority of the loads, initially that of ``ImageLoader/prefetch(_:to:priority:)``.
    public var priority: LoadPriority { work.priority }

    /// Changes ``priority``, also for running loads; nothing is restarted.
    public func setPriority(_ priority: LoadPriority) { work.setPriority(priority) }

    /// Starts no further load until ``resume()``; running loads continue.
    public func pause() { work.setPaused(true) }

    /// Ends ``pause()``; one call is sufficient after several calls of ``pause()``.
    public func resume() { work.setPaused(false) }

    /// Cancels the requests that have not finished, permanently; a download that other loads wait for continues for
    /// them.
    public func cancel() { work.cancel() }

    /// Returns the final counts when no work is left, or the current counts as soon as the calling task is cancelled. A
    /// paused prefetch does not end before it is resumed or cancelled.
    @discardableResult
    public func waitUntilFinished() async -> Counts {
        await work.waitUntilFinished()
        return work.counts
    }
}

extension ImageLoader {
    /// Loads images into the caches, in order and, by default, with low priority.
    ///
    /// Images that are already fresh in the cache layer of the destination are skipped, and running downloads are
    /// joined. At most ``Configuration/urgentWidth`` or ``Configuration/slowWidth`` requests, depending on the
    /// priority, are loaded concurrently. Each request is an ordinary load: it follows its policy and
    /// ``Configuration/retry``, and its failures are cached.
    ///
    /// - Parameters:
    ///   - requests: Requests to load; their priorities are ignored.
    ///   - destination: The cache layer that receives the images.
    ///   - priority: Priority of the loads.
    /// - Returns: A handle that the caller must retain: releasing it cancels the requests that have not finished.
    public func prefetch(
        _ requests: [ImageRequest], to destination: Prefetch.Destination = .memory, priority: LoadPriority = .slow
    ) -> Prefetch {
        let work = PrefetchWork(requests, to: destination, priority, by: self)
        register(work)
        work.advance()
        return Prefetch(work)
    }
}
