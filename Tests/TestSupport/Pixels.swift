public import PlatformImage

extension Bitmap {
    /// SHA-256 of the rows with RGB set to 0 where alpha is 0, as in the manifest.
    public var digest: String { SHA256.hex(clearingTransparentPixels().copyBytes()) }

    /// The largest difference of any sample from raw RGBA8 rows. Ignores the colours of two pixels if both alphas
    /// are at most `tolerance`. Nil if the sizes differ.
    public func largestDifference(to reference: [UInt8], tolerance: Int) -> Int? {
        guard reference.count == byteCount else { return nil }
        return withBytes { bytes in
            var largest = 0
            for at in stride(from: 0, to: bytes.count, by: 4) {
                largest = max(largest, abs(Int(bytes[at + 3]) - Int(reference[at + 3])))
                if bytes[at + 3] <= tolerance, reference[at + 3] <= tolerance { continue }
                for channel in 0..<3 {
                    largest = max(largest, abs(Int(bytes[at + channel]) - Int(reference[at + channel])))
                }
            }
            return largest
        }
    }
}
