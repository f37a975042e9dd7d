#if Service
import PlatformImageLoader

/// Gives the bytes of sources.
protocol SourceReading: Sendable {
    /// - Throws: `notFound`, `hostRefused`, `portRefused`, `schemeRefused`, `addressRefused`, `tooLarge`, `originFailed`,
    ///   `originTimeout`, `deadline` when the calling task is cancelled.
    func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes

    /// Waits until what was fetched lies on disk.
    func flush() async

    /// Bytes of sources on disk, as far as they have been counted since the start.
    var storedBytes: Int { get }

    /// What the disk cache of sources holds; nil without one.
    var diskStatistics: DiskCache.Statistics? { get }

    /// Removes all sources from disk.
    func purgeDisk() async
}

extension SourceReading {
    var storedBytes: Int { 0 }
    var diskStatistics: DiskCache.Statistics? { nil }

    func purgeDisk() async {}
}
#endif
