#if Service
import Crypto
import PlatformImage
import PlatformImageLoader

/// Names a result: equal for requests that must give equal bytes.
struct ResultKey: Hashable, Sendable {
    /// 64 hexadecimal digits.
    let digits: String

    /// - Parameters:
    ///   - canonical: ``ThumbnailRequest/canonicalBytes``.
    ///   - version: ``ServiceIdentity/renderVersion``.
    init(canonical: [UInt8], version: Int = ServiceIdentity.renderVersion) {
        var hash = SHA256()
        hash.update(data: Array("imagetool result \(version)\n".utf8))
        hash.update(data: canonical)
        digits = String(hexadecimal: hash.finalize())
    }

    /// Where it lies on disk: the disk cache names entries by address, and this one can be nobody's.
    var cacheKey: CacheKey? { CacheKey(url: "http://result.invalid/\(digits)") }
}

/// What the service calls itself.
enum ServiceIdentity {
    /// Raised whenever pixels or encoder settings change, so that what older versions stored no longer answers.
    static let renderVersion = 3
    /// In the Server field and in requests to origins.
    static let name = "imagetool"
}
#endif
