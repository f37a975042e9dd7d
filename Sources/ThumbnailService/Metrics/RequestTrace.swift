import PlatformImage
import Synchronization

/// Durations and sizes of one request, for its log line and for `Server-Timing`.
///
/// Work that several requests share is recorded in the trace of the request that started it, so that sums over the log
/// equal the work done.
final class RequestTrace: Sendable {
    /// The trace to which work is attributed; tasks inherit it from the request that starts them.
    @TaskLocal static var current: RequestTrace?

    struct Facts: Sendable {
        /// Durations of the stages; nil for stages that were not executed.
        var queue, fetch, decode, render: Duration?
        /// Source URL in the target; nil for a source without a URL.
        var sourceURL: String?
        /// Size of the source in pixels after orientation, and in bytes.
        var source: (width: Int, height: Int, bytes: Int)?
        /// Size of the result in pixels.
        var result: (width: Int, height: Int)?
        /// Size of the metadata that the result lacks because it is too large; 0 for none.
        var droppedMetadataBytes = 0
        /// The error of the origin that a stale source replaces; nil for none.
        var staleReason: ServiceError?
        /// True when the error is that of an earlier request, and the source was not read.
        var isStoredFailure = false
    }

    /// The client's trace context; nil without a valid `traceparent`.
    let context: TraceContext?
    private let state = Mutex(Facts())

    init(_ context: TraceContext? = nil) { self.context = context }

    var facts: Facts { state.locked(in: self) { $0 } }

    func update(_ change: @Sendable (inout Facts) -> Void) { state.locked(in: self) { change(&$0) } }

    /// Value of `Server-Timing` in milliseconds; `total` is the complete duration.
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
