internal import CImageCodecs

/// Facts of an ICC profile.
enum ColorProfile {
    /// The profile's own description in English, cut to 255 bytes of UTF-8; empty when it has none.
    static func description(of profile: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: 256)
        unsafe imgc_icc_description(profile, profile.count, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
