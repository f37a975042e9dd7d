import PlatformImage
import PlatformImageLoader

/// Cache key of a result: a digest of the canonical form of its request and of ``ServiceIdentity/renderVersion``.
struct ResultKey: Hashable, Sendable {
    /// SHA-256 as 64 hexadecimal digits.
    let digits: String

    /// Computes the key.
    ///
    /// - Parameters:
    ///   - canonical: ``ThumbnailRequest/canonicalBytes``.
    ///   - version: ``ServiceIdentity/renderVersion``.
    init(canonical: [UInt8], version: Int = ServiceIdentity.renderVersion) {
        var hash = SHA256()
        hash.update(Array("imagetool result \(version)\n".utf8))
        hash.update(canonical)
        digits = String(hexadecimal: hash.finalize())
    }

    /// Key of the disk cache, which uses URLs: a URL with the reserved top-level domain `invalid` (RFC 2606).
    var cacheKey: CacheKey? { CacheKey(url: "http://result.invalid/\(digits)") }
}

/// Name of the service and version of its results.
enum ServiceIdentity {
    /// Version of the results. It is raised whenever their pixels or the encoder settings change, which invalidates the
    /// results stored by older versions.
    static let renderVersion = 7
    /// Value of the Server field.
    static let name = "imagetool"
}
