#if Service
import PlatformImage
import Synchronization

/// What one request has cost so far, for its log line and for Server-Timing.
///
/// Work that several requests share is noted in the trace of the one that began it: sums over the log are sums of work
/// that was done.
final class RequestTrace: Sendable {
    /// The trace that work belongs to: tasks take it over from the request that begins them.
    @TaskLocal static var current: RequestTrace?

    struct Facts: Sendable {
        /// Nil for what was not done.
        var queue, fetch, decode, render: Duration?
        /// The address that the target names; nil for a source without one.
        var sourceURL: String?
        /// Upright pixels of the source, and its bytes.
        var source: (width: Int, height: Int, bytes: Int)?
        /// Pixels of the result.
        var result: (width: Int, height: Int)?
    }

    /// What the client's traceparent said; nil without a valid one.
    let context: TraceContext?
    private let state = Mutex(Facts())

    init(_ context: TraceContext? = nil) { self.context = context }

    var facts: Facts { state.locked(in: self) { $0 } }

    func note(_ change: @Sendable (inout Facts) -> Void) { state.locked(in: self) { change(&$0) } }

    /// The parts as Server-Timing has them, in milliseconds; `total` is all of it.
    func serverTiming(total: Duration) -> String {
        let facts = facts
        let parts: [(String, Duration?)] = [
            ("queue", facts.queue), ("fetch", facts.fetch), ("decode", facts.decode), ("render", facts.render),
            ("total", total),
        ]
        return parts.compactMap { name, duration in
            duration.map { "\(name);dur=\($0.milliseconds)" }
        }.joined(separator: ", ")
    }
}
#endif
