/// The key of a stored response: the URL, the credential partition, and how the connection was verified.
///
/// Requests with equal keys may share one stored response if their `Vary` values match.
public struct CacheKey: Hashable, Sendable {
    /// Scheme and host in lower case, no default port, path at least `/`, no fragment; path and query as sent.
    public let url: String
    /// Partition for responses that depend on credentials; empty without credentials. Never contains the credentials
    /// themselves.
    public let partition: String
    /// Identifies how the TLS connection was verified, computed by ``TrustScope``; empty for the default trust settings
    /// and without TLS.
    let trustScope: String
    /// The name of the ``ImageVariant`` in the key of a variant file; empty in the key of a response.
    private(set) var variant = ""

    /// Creates a key for an http or https URL; returns nil for any other text.
    ///
    /// - Parameters:
    ///   - url: The URL, of any length. It is normalized as described at ``url``; user information is removed.
    ///   - partition: A keyed digest of the credentials, or a name that the caller has chosen; empty for none.
    public init?(url: String, partition: String = "") { self.init(url: url, partition: partition, trustScope: "") }

    init?(url: String, partition: String, trustScope: String) {
        guard let normalised = Self.normalised(url) else { return nil }
        self.url = normalised
        self.partition = partition
        self.trustScope = trustScope
    }

    /// The key of the file that contains a processed image of this response.
    func variant(named name: String) -> Self {
        var key = self
        key.variant = name
        return key
    }

    /// The bytes that identify an entry: variant if any, trust scope if any, length of the partition, partition, URL.
    /// They are part of the disk format, so their format never changes. They begin with `variant`, with `trust`, or
    /// with a digit.
    var bytes: [UInt8] {
        let prefix = variant.isEmpty ? "" : "variant \(variant.utf8.count) \(variant) "
        let scope = trustScope.isEmpty ? "" : "trust \(trustScope) "
        return Array("\(prefix)\(scope)\(partition.utf8.count) \(partition) \(url)".utf8)
    }

    /// Compares bytes, because `==` of `String` treats canonically equivalent spellings as equal, but they are
    /// different URLs.
    public static func == (a: Self, b: Self) -> Bool {
        a.url.hasSameBytes(as: b.url) && a.partition.hasSameBytes(as: b.partition)
            && a.trustScope == b.trustScope && a.variant.hasSameBytes(as: b.variant)
    }
}
