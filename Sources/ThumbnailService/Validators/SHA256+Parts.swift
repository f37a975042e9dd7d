#if Service
import Crypto

extension SHA256 {
    /// Of several parts, each with its length before it, so that no two lists of parts run together.
    static func hash(parts: [[UInt8]]) -> SHA256Digest {
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array("\(part.count):".utf8))
            hash.update(data: part)
        }
        return hash.finalize()
    }
}
#endif
