// The colour space of V4 and V5 headers: reported, never converted by.

extension BMPInfo {
    // LOGCOLORSPACE values, four letters most significant first.
    private static let calibrated = 0
    private static let sRGB = 0x7352_4742
    private static let windows = 0x5769_6E20
    private static let embedded = 0x4D42_4544

    /// Sets the header's profile fields; returns where the embedded profile lies.
    ///
    /// `LINK` is a path in somebody's file system: it is not even read.
    func readProfile(
        into header: inout ImageHeader, count: Int, limits: DecodeLimits, damage: inout Damage
    ) -> Range<Int>? {
        guard size >= 108 else { return nil }
        switch colorSpace {
        case Self.calibrated where hasCalibration: header.profileSource = .gamma
        case Self.sRGB, Self.windows: header.profileSource = .srgb
        case Self.embedded where size >= 124:
            let start = Self.fileHeaderSize + profileOffset
            let most = min(limits.maxMetadataItem ?? .max, limits.maxMetadataTotal ?? .max, max(0, count - start))
            guard profileSize > 0, profileSize <= most else {
                damage.warn(.profileIgnored)
                return nil
            }
            header.profileSource = .icc
            header.iccProfileByteCount = profileSize
            return start..<start + profileSize
        default: break
        }
        return nil
    }
}
