/// Checks of an ICC profile by its header (ICC.1, section 7.2).
extension ColorProfile {
    private static let headerByteCount = 128

    /// True when the header is that of a profile of RGB samples with a matching size.
    static func isRGB(_ profile: [UInt8]) -> Bool {
        guard profile.count > headerByteCount, let size = ByteOrder.big.integer32(profile.span, at: 0) else {
            return false
        }
        return size == profile.count && profile[16..<20].elementsEqual("RGB ".utf8)
            && profile[36..<40].elementsEqual("acsp".utf8)
    }
}
