#if Tool
import Crypto
import PlatformImage

extension Bitmap {
    /// SHA-256 of the straight RGBA rows in lower-case hex; colours under alpha 0 count as 0.
    var digest: String {
        var hash = SHA256()
        forEachBand(.clearedUnderAlpha) { band in band.withUnsafeBytes { hash.update(bufferPointer: $0) } }
        let digits = Array("0123456789abcdef")
        return String(hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
#endif
