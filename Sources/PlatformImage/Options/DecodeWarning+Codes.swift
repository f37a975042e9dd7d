internal import CImageCodecs

extension DecodeWarning {
    init(_ warning: imgc_warning) { code = UInt16(warning.rawValue) }

    // Those that Swift code raises; the codecs in C raise more.
    static var paletteIndex: Self { Self(IMGC_WARN_PALETTE_INDEX) }
    static var structure: Self { Self(IMGC_WARN_STRUCTURE) }
    static var runLength: Self { Self(IMGC_WARN_RUN_LENGTH) }
    static var dataOffset: Self { Self(IMGC_WARN_DATA_OFFSET) }
    static var frameRefused: Self { Self(IMGC_WARN_FRAME_REFUSED) }
    static var orientation: Self { Self(IMGC_WARN_ORIENTATION) }
    static var exif: Self { Self(IMGC_WARN_EXIF) }
    static var profileIgnored: Self { Self(IMGC_WARN_PROFILE_IGNORED) }
    static var missingEnd: Self { Self(IMGC_WARN_MISSING_END) }
}
