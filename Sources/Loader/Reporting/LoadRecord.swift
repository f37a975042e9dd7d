/// Result and cost of one load, for metrics.
public struct LoadRecord: Hashable, Sendable {
    /// The kind of result that was requested.
    public enum Content: String, Hashable, Sendable, CaseIterable {
        /// A decoded image, by ``ImageLoader/image(for:)`` and equivalent calls.
        case image
        /// The body as bytes, by ``ImageLoader/data(for:)``.
        case data
    }

    /// The kind of result that was requested.
    public let content: Content
    /// The requested URL, redacted as in events.
    public internal(set) var url: String
    /// Source of the result; `none` for a failed load.
    public let source: LoadSource
    /// As in ``LoadedImage/isFresh``; false for a failed load.
    public let isFresh: Bool
    /// The error code of a failed load, including `cancelled`; nil for a success.
    public let outcome: LoadError.Code?
    /// HTTP status of the result, or ``LoadError/statusCode`` of a failed load; nil for a failure without one.
    public let status: Int?
    /// Number of requests sent, including redirects and retries; 0 or more. A request that several loads share counts
    /// in the record of each, and so do its bytes and times.
    public let attempts: Int
    /// Body bytes received over the network, before content decoding.
    public let bytes: Int
    /// Durations of the parts of the load; parts that did not occur are zero.
    public let timings: LoadTimings
    /// From the call to the result; zero for an image found in memory by the first lookup.
    public let duration: Duration
}

extension LoadRecord: CustomStringConvertible {
    /// Result and cost of the load, in one line.
    public var description: String {
        let end = outcome.map { "failed \($0)" } ?? "from \(source), \(isFresh ? "fresh" : "not fresh")"
        let status = status.map { ", status \($0)" } ?? ""
        return "\(content) \(url): \(end)\(status), \(attempts) requests, \(bytes) bytes, \(duration)"
    }
}
