#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The number of descriptors that the process may open.
enum DescriptorLimit {
    /// Descriptors for everything but client connections: files, caches, fetches, worker processes, event loops.
    private static let reserve: rlim_t = 160
    /// Linux and macOS refuse or mishandle higher limits in places.
    private static let maxRaised: rlim_t = 1 << 20

    /// Raises the soft limit to the hard limit, at most ``maxRaised``; does nothing when the system refuses.
    static func raise() {
        guard var limit = current, limit.rlim_cur < min(limit.rlim_max, maxRaised) else { return }
        limit.rlim_cur = min(limit.rlim_max, maxRaised)
        setrlimit(resource, &limit)
    }

    /// Number of client connections for which there are descriptors, at least 16: the limit without the reserve, or
    /// half of a low limit.
    static var connections: Int {
        guard let limit = current?.rlim_cur else { return .max }
        let count = limit > 2 * reserve ? limit - reserve : limit / 2
        return max(16, Int(clamping: count))
    }

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
