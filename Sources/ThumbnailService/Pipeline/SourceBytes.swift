#if Service
import Crypto
import Loader

/// A source that is there: its bytes, and what was said about them.
struct SourceBytes: Sendable {
    let bytes: [UInt8]
    /// SHA-256 in hexadecimal digits.
    let digest: String
    /// What its origin said of how long it may be kept.
    let lifetime: CacheLifetime.Source
    /// Seconds since 1970; nil when nobody says.
    let lastModified: Int64?

    /// A source with what is known of it.
    init(_ bytes: [UInt8], lifetime: CacheLifetime.Source = .init(), lastModified: Int64? = nil) {
        self.bytes = bytes
        self.lifetime = lifetime
        self.lastModified = lastModified
        digest = Hexadecimal.text(SHA256.hash(data: bytes))
    }

    /// A source that came as a response.
    ///
    /// - Parameter isFresh: False for one that stands in for a newer one that could not be had.
    init(_ bytes: [UInt8], fields: HeaderFields, isFresh: Bool, now: WallTime) {
        let shared = SharedLifetime(fields, now: now)
        var lifetime = CacheLifetime.Source()
        lifetime.remaining = isFresh ? shared.remaining.map { Int(clamping: $0) } : 0
        lifetime.age = Int(clamping: shared.age)
        lifetime.isPrivate = shared.isPrivate
        lifetime.forbidsStoring = shared.forbidsStoring
        let date = fields["Last-Modified"].flatMap { LastModified($0, now: now.seconds) }
        self.init(bytes, lifetime: lifetime, lastModified: date?.seconds)
    }
}
#endif
