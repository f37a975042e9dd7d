#if Service
import PlatformImageLoader
import Synchronization

/// One fetch on its way through the loader, where others may join it: the transport below sees whose it is.
final class OriginExchange: Sendable {
    /// Tasks take it over from the fetch that begins them, so work that others joined has that of the first.
    @TaskLocal static var current: OriginExchange?

    private let context: TraceContext?
    private let sent = Atomic(false)

    init(_ context: TraceContext?) { self.context = context }

    /// False when the fetch was answered without a request of its own.
    var isSent: Bool { sent.load(ordering: .relaxed) }

    /// Notes that a request goes out, and gives it its place in the trace.
    func send(_ request: inout HTTPRequest) {
        sent.store(true, ordering: .relaxed)
        for (name, value) in context?.fields() ?? [] { request.fields.append(name, value) }
    }
}

extension ServiceMetrics {
    /// Counts a fetch that succeeded.
    ///
    /// - Parameters:
    ///   - isLooked: True when there is a cache of sources.
    ///   - isSent: As in ``OriginExchange/isSent``.
    func note(_ source: LoadSource, isLooked: Bool, isSent: Bool, in duration: Duration) {
        switch source {
        case .none: break
        case .memory, .disk: hit(.source)
        case .networkNotModified, .networkToDisk:
            if isLooked { miss(.source) }
            if isSent { fetched(in: duration) } else { shared(.fetch) }
        }
    }
}
#endif
