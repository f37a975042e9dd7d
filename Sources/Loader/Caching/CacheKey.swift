#if Loader
/// What a response is stored under: the resource's address, and whose answer it is.
///
/// Two requests with equal keys may be answered by one stored response, as far as `Vary` agrees.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
    /// Scheme and host in lower case, no default port, at least `/` as path, no fragment; path and query as sent.
    public let url: String
    /// Separates answers that depend on credentials; empty for none. Never the credentials themselves.
    public let partition: String

    /// A key for an http or https address; nil for any other text.
    ///
    /// - Parameters:
    ///   - url: Any length; nothing but the scheme, the host, the port and the fragment is changed.
    ///   - partition: A keyed digest of the credentials, or a name; empty for none.
    public init?(url: String, partition: String = "") {
        guard let normalised = Self.normalised(url) else { return nil }
        self.url = normalised
        self.partition = partition
    }

    /// What entries are compared by: the partition's length, the partition and the address.
    var bytes: [UInt8] { Array("\(partition.utf8.count) \(partition) \(url)".utf8) }

    /// The address, for logs.
    public var description: String { url }

    /// Byte for byte: `String` calls the two ways to write an accented letter equal, but they are two addresses.
    public static func == (a: Self, b: Self) -> Bool {
        a.url.hasSameBytes(as: b.url) && a.partition.hasSameBytes(as: b.partition)
    }
}
#endif
