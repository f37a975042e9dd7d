#if Service
import Crypto
import PlatformImage
import PlatformImageLoader

/// A source that is there: its bytes, and what was said about them.
struct SourceBytes: Sendable {
    let bytes: [UInt8]
    /// 64 hexadecimal digits that are others when the bytes are: SHA-256 of them, or of an address and its strong
    /// validator.
    let digest: String
    /// What its origin said of how long it may be kept.
    let lifetime: CacheLifetime.Source
    /// Seconds since 1970; nil when nobody says.
    let lastModified: Int64?

    /// A source with what is known of it.
    ///
    /// - Parameter digest: Nil for that of the bytes.
    init(
        _ bytes: [UInt8], digest: String? = nil, lifetime: CacheLifetime.Source = .init(), lastModified: Int64? = nil
    ) {
        self.bytes = bytes
        self.lifetime = lifetime
        self.lastModified = lastModified
        self.digest = digest ?? String(hexadecimal: SHA256.hash(data: bytes))
    }

    /// A source that came as a response from an address.
    ///
    /// - Parameter isFresh: False for one that stands in for a newer one that could not be had.
    init(_ bytes: [UInt8], url: String, fields: HeaderFields, isFresh: Bool, now: WallTime) {
        let shared = SharedLifetime(fields, now: now)
        var lifetime = CacheLifetime.Source()
        lifetime.remaining = isFresh ? shared.remaining.map { Int(clamping: $0) } : 0
        lifetime.age = Int(clamping: shared.age)
        lifetime.isPrivate = shared.isPrivate
        lifetime.forbidsStoring = shared.forbidsStoring
        let date = fields["Last-Modified"].flatMap { LastModified($0, now: now.seconds) }
        let digest = Self.digest(of: url, fields, byteCount: bytes.count)
        self.init(bytes, digest: digest, lifetime: lifetime, lastModified: date?.seconds)
    }

    /// By what an origin says its bytes are, which it may for its own address alone; nil when it does not say it.
    ///
    /// A strong tag is another one whenever a byte of the representation is (RFC 9110 §8.8.1), and the loader keeps
    /// bodies by it too. To hash megabytes costs a twentieth of a JPEG's thumbnail.
    private static func digest(of url: String, _ fields: HeaderFields, byteCount: Int) -> String? {
        let tags = fields[lines: "ETag"]
        guard tags.count == 1, let tag = tags.first, tag.count > 2 else { return nil }
        let quote = UInt8(ascii: "\"")
        guard tag.first == quote, tag.dropFirst().firstIndex(of: quote) == tag.count - 1 else { return nil }
        let parts = [Array(url.utf8), tag, fields["Last-Modified"] ?? [], Array("\(byteCount)".utf8)]
        return String(hexadecimal: SHA256.hash(parts: parts))
    }
}
#endif
