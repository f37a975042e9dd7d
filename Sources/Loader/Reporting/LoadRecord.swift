#if Loader
/// What one load came to and cost, for those who count.
public struct LoadRecord: Hashable, Sendable {
    /// What was asked for.
    public enum Content: String, Hashable, Sendable, CaseIterable {
        /// A picture, by ``ImageLoader/image(for:)`` and all that does the same.
        case image
        /// Bytes, by ``ImageLoader/data(for:)``.
        case data
    }

    /// A picture or bytes.
    public let content: Content
    /// The address asked for, redacted as in events.
    public internal(set) var url: String
    /// Where the answer came from; `none` for a load that failed.
    public let source: LoadSource
    /// As in ``LoadedImage/isFresh``; false for a load that failed.
    public let isFresh: Bool
    /// How the load failed, `cancelled` among it; nil for a success.
    public let outcome: LoadError.Code?
    /// The status of the response that answered or was the failure; nil when there was none.
    public let status: Int?
    /// Requests that were sent for it, one a hop and a repetition; 0 when none. A request that several loads share
    /// counts in the record of each, and so do its bytes and its times.
    public let attempts: Int
    /// Bytes of bodies that came over the network, as they were sent.
    public let bytes: Int
    /// Where the time went; parts that did not happen are zero.
    public let timings: LoadTimings
    /// From the call to the answer; zero for a picture that one look in memory gave.
    public let duration: Duration
}

extension LoadRecord: CustomStringConvertible {
    /// The result and the cost of the load, in one line.
    public var description: String {
        let end = outcome.map { "failed \($0)" } ?? "from \(source), \(isFresh ? "fresh" : "not fresh")"
        let status = status.map { ", status \($0)" } ?? ""
        return "\(content) \(url): \(end)\(status), \(attempts) requests, \(bytes) bytes, \(duration)"
    }
}
#endif
