#if Loader
/// The key of a stored response: the URL, the credential partition, and how the connection was verified.
///
/// Two requests with equal keys may be answered by one stored response, as far as `Vary` agrees.
public struct CacheKey: Hashable, Sendable {
    /// Scheme and host in lower case, no default port, at least `/` as path, no fragment; path and query as sent.
    public let url: String
    /// Separates answers that depend on credentials; empty for none. Never the credentials themselves.
    public let partition: String
    /// From ``TrustScope``: separates answers by how their connections were verified; empty with the default trust.
    let trustScope: String

    /// A key for an http or https address; nil for any other text.
    ///
    /// - Parameters:
    ///   - url: Any length; nothing but the scheme, the host, the port and the fragment is changed.
    ///   - partition: A keyed digest of the credentials, or a name; empty for none.
    public init?(url: String, partition: String = "") { self.init(url: url, partition: partition, trustScope: "") }

    init?(url: String, partition: String, trustScope: String) {
        guard let normalised = Self.normalised(url) else { return nil }
        self.url = normalised
        self.partition = partition
        self.trustScope = trustScope
    }

    /// The bytes that identify an entry: the trust scope where there is one, the partition's length, the partition and the
    /// address. Entries on disk have it, so it never changes; without a scope it begins with a digit, with one with a letter.
    var bytes: [UInt8] {
        let scope = trustScope.isEmpty ? "" : "trust \(trustScope) "
        return Array("\(scope)\(partition.utf8.count) \(partition) \(url)".utf8)
    }

    /// Byte for byte: `String` calls the two ways to write an accented letter equal, but they are two addresses.
    public static func == (a: Self, b: Self) -> Bool {
        a.url.hasSameBytes(as: b.url) && a.partition.hasSameBytes(as: b.partition)
            && a.trustScope == b.trustScope
    }
}
#endif
