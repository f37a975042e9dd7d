import PlatformImage
import PlatformImageLoader

/// A source in memory: its bytes and their metadata.
struct SourceBytes: Sendable {
    let bytes: [UInt8]
    /// SHA-256 of the bytes, or of a URL and its strong validator, as 64 hexadecimal digits. Different bytes have
    /// different digests.
    let digest: String
    /// Freshness that the origin stated.
    let lifetime: CacheLifetime.Source
    /// Modification time in seconds since 1970; nil when it is not known.
    let lastModified: Int64?
    /// The first ``maxTypeBytes`` bytes of the origin's `Content-Type`; nil without one.
    var declaredType: String?
    /// True for a stored response that is used because the origin failed (`source.staleIfError`).
    var isStale = false

    private static let maxTypeBytes = 255
    /// Seconds for which a stale source counts as fresh, so that a failed origin is not requested for every result.
    static let staleLifetime = 60

    /// Creates a source.
    ///
    /// - Parameter digest: Nil to compute the digest of the bytes.
    init(
        _ bytes: [UInt8], digest: String? = nil, lifetime: CacheLifetime.Source = .init(), lastModified: Int64? = nil
    ) {
        self.bytes = bytes
        self.lifetime = lifetime
        self.lastModified = lastModified
        self.digest = digest ?? String(hexadecimal: SHA256.hash(bytes))
    }

    /// Creates a source from a response.
    ///
    /// - Parameters:
    ///   - isFresh: False for a stale response that is used because a newer one was not available.
    ///   - replacesError: True when the origin failed.
    init(
        _ bytes: [UInt8], url: String, fields: HeaderFields, isFresh: Bool, replacesError: Bool = false, now: WallTime
    ) {
        let shared = SharedLifetime(fields, now: now)
        var lifetime = CacheLifetime.Source()
        if isFresh {
            lifetime.remaining = shared.remaining.map { CacheLifetime.clampedRemaining(Int(clamping: $0)) }
        } else {
            lifetime.remaining = replacesError ? Self.staleLifetime : 0
        }
        lifetime.age = CacheLifetime.clampedSeconds(shared.age)
        lifetime.isPrivate = shared.isPrivate
        lifetime.forbidsStoring = shared.forbidsStoring
        let date = fields["Last-Modified"].flatMap { LastModified($0, now: now.seconds) }
        let digest = Self.digest(of: url, fields, byteCount: bytes.count)
        self.init(bytes, digest: digest, lifetime: lifetime, lastModified: date?.seconds)
        declaredType = fields["Content-Type"].map { String(decoding: $0.prefix(Self.maxTypeBytes), as: UTF8.self) }
        isStale = replacesError
    }

    /// Returns a digest of the URL, the strong entity tag, Last-Modified and the body's length; nil without a strong
    /// tag.
    ///
    /// A strong tag changes whenever a byte of the representation changes (RFC 9110 §8.8.1). The loader also relies on
    /// it, when it resumes an incomplete body. Hashing the bytes would add about 5 % to the cost of a thumbnail of a
    /// JPEG.
    private static func digest(of url: String, _ fields: HeaderFields, byteCount: Int) -> String? {
        let tags = fields[lines: "ETag"]
        guard tags.count == 1, let tag = tags.first, tag.count > 2 else { return nil }
        let quote = UInt8(ascii: "\"")
        guard tag.first == quote, tag.dropFirst().firstIndex(of: quote) == tag.indices.last else { return nil }
        let parts = [Array(url.utf8), tag, fields["Last-Modified"] ?? [], Array("\(byteCount)".utf8)]
        return String(hexadecimal: SHA256.hash(parts: parts))
    }
}
