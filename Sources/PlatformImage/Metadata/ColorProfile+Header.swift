/// Checks of an ICC profile by its header (ICC.1, section 7.2).
extension ColorProfile {
    private static let headerByteCount = 128
    private static let rgb = Array("RGB ".utf8)
    private static let signature = Array("acsp".utf8)

    /// True when the header is that of a profile of RGB samples with a matching size.
    static func isRGB(_ profile: [UInt8]) -> Bool {
        profile.count > headerByteCount
            && ByteOrder.big.number(4, profile.span, at: 0) == FileNumber(profile.count)
            && profile.span.matches(rgb, in: 16..<20) && profile.span.matches(signature, in: 36..<40)
    }
}
