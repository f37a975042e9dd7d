// Conversions between C and Swift values: formats and limits to C; headers, frames, errors and damage to Swift.

internal import CImageCodecs

extension imgc_limits {
    init(_ limits: DecodeLimits) {
        // In C, 0 means no limit. In Swift, nil means no limit, and 0 permits nothing; 1 is the closest value in C.
        func bound<I: FixedWidthInteger>(_ limit: Int?) -> I { limit.map { I(clamping: max(1, $0)) } ?? 0 }
        self.init(
            max_side: bound(limits.maxSide), max_pixels: bound(limits.maxPixels),
            max_memory: bound(limits.maxMemory), max_scans: bound(limits.maxScans),
            max_scan_samples: bound(limits.maxScanSamples), max_pages: bound(limits.maxPages),
            max_samples_per_pixel: bound(limits.maxSamplesPerPixel), max_tile_side: bound(limits.maxTileSide),
            max_metadata_item: bound(limits.maxMetadataItem), max_metadata_total: bound(limits.maxMetadataTotal),
            max_chunks: bound(limits.maxChunks), max_work: bound(limits.maxWork))
    }
}

extension Damage {
    init(_ report: imgc_report) {
        self.init()
        if report.truncated { truncate(rows: Int(report.rows)) }
        unsafe withUnsafeBytes(of: report.warnings) { bytes in
            for index in 0..<Int(report.warning_count) {
                warn(unsafe DecodeWarning(code: bytes.load(fromByteOffset: index * 2, as: UInt16.self)))
            }
        }
    }
}

extension DecodeError {
    init(_ status: imgc_status, _ report: imgc_report, _ format: ImageFormat) {
        let code: Code =
            switch status {
            case IMGC_ERROR_UNKNOWN_FORMAT: .unknownFormat
            case IMGC_ERROR_MALFORMED: .malformed
            case IMGC_ERROR_TRUNCATED: .truncated
            case IMGC_ERROR_UNSUPPORTED: .unsupported
            case IMGC_ERROR_LIMIT: .limitExceeded
            case IMGC_ERROR_OUT_OF_MEMORY: .outOfMemory
            case IMGC_ERROR_CANCELLED: .cancelled
            default: .internal
            }
        let token = text(of: report.token)
        self.init(
            code, format: format, detail: token.isEmpty ? nil : camelCase(token),
            text(of: report.message))
    }
}

/// Converts a C name to Swift: fields of `imgc_limits` are named after the properties of ``DecodeLimits``.
private func camelCase(_ token: String) -> String {
    let words = token.split(separator: "_")
    return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}

/// The text of a NUL-terminated C array of char.
func text<Characters>(of characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// A header as the codec reported it: width and height are those of the stored image after JPEG scaling.
struct CodecHeader: Sendable {
    var values = imgc_header()

    var width: Int { Int(values.width) }
    var height: Int { Int(values.height) }
    /// Size of the embedded ICC profile in bytes; 0 when the image has no profile.
    var profileByteCount: Int { Int(values.icc_size) }
    /// The raw value of the C colour model.
    var colorModel: UInt32 { values.color_model.rawValue }
    var isAnimated: Bool { values.is_animated }
    var hasCICP: Bool { values.has_cicp }
    /// The offsets of the IFD of a TIFF page, and of the IFD of the chain whose SubIFD it is.
    var directories: (page: FileNumber, parent: FileNumber) {
        (FileNumber(Int(clamping: values.directory)), FileNumber(Int(clamping: values.parent_directory)))
    }
    /// True when PNG chunks other than sRGB and iCCP define the colours.
    var hasColorChunks: Bool { values.has_cicp || values.has_gamma || values.has_chromaticities }

    /// The values of the PNG colour chunks, for comparison; empty when there are none.
    var colorChunks: [UInt32] {
        guard values.has_cicp || values.has_srgb || values.has_gamma || values.has_chromaticities else { return [] }
        let c = values.chromaticities
        return [
            values.has_cicp ? 1 : 0, UInt32(values.cicp.0), UInt32(values.cicp.1), UInt32(values.cicp.2),
            UInt32(values.cicp.3), values.has_srgb ? 1 : 0,
            values.has_gamma ? values.gamma : 0, values.has_chromaticities ? 1 : 0, c.0, c.1, c.2, c.3, c.4, c.5, c.6,
            c.7,
        ]
    }

    /// An upper estimate, in bytes, of the memory that a resampling decode needs in addition to its result.
    func resampledByteCount(_ request: ResampleRequest) -> Int {
        var (values, resample) = (values, imgc_resample_request(resampling: request))
        return unsafe Int(clamping: imgc_resampled_bytes(&values, &resample))
    }
}

extension ImageHeader {
    init(_ header: CodecHeader, format: ImageFormat) {
        let values = header.values
        self.init(
            format: format, width: Int(values.width), height: Int(values.height),
            bitsPerChannel: Int(values.bits_per_channel), channelCount: Int(values.channels),
            colorModel: ColorModel(values.color_model), hasAlpha: values.has_alpha)
        orientation = Orientation(rawValue: values.orientation) ?? .up
        frameCount = values.frame_count > 0 ? Int(values.frame_count) : nil
        loopCount = values.has_loop_count ? Int(values.loop_count) : nil
        isProgressive = values.is_progressive
        profileSource = ProfileSource(values)
        iccProfileByteCount = Int(values.icc_size)
        if values.exif_size > 0 {
            exifRange = Int(values.exif_offset)..<Int(values.exif_offset + values.exif_size)
        }
        workByteCount = Int(clamping: values.work_bytes)
    }
}

extension PageInfo {
    init(_ page: imgc_page) {
        self.init(
            width: Int(clamping: page.width), height: Int(clamping: page.height), isReduced: page.is_reduced,
            isSubIFD: page.is_sub)
    }
}

extension ImageHeader.ColorModel {
    fileprivate init(_ model: imgc_color_model) {
        switch model {
        case IMGC_COLOR_GRAY: self = .gray
        case IMGC_COLOR_INDEXED: self = .indexed
        case IMGC_COLOR_YCBCR: self = .ycbcr
        case IMGC_COLOR_CMYK: self = .cmyk
        case IMGC_COLOR_LAB: self = .lab
        case IMGC_COLOR_LOGLUV: self = .logLuv
        default: self = .rgb
        }
    }
}

extension ImageHeader.ProfileSource {
    fileprivate init(_ values: imgc_header) {
        if values.has_cicp {
            self = .cicp
        } else if values.icc_size > 0 {
            self = .icc
        } else if values.has_srgb {
            self = .srgb
        } else {
            self = values.has_gamma || values.has_chromaticities ? .gamma : .none
        }
    }
}

/// The position in an iteration over the frames of an animation; the codec advances it.
struct CodecFrame: Sendable {
    var state = imgc_frame()

    /// The position before the first frame.
    init() {}

    /// The only frame of an image without animation.
    init(stillFrameOfWidth width: Int, height: Int) {
        state.number = 1
        state.width = UInt32(width)
        state.height = UInt32(height)
        state.delay_denominator = 1
    }

    /// The frame number, counted from 1; 0 before the first frame.
    var number: Int { Int(state.number) }
    var width: Int { Int(state.width) }
    var height: Int { Int(state.height) }
    var disposal: FrameInfo.Disposal {
        state.disposal == IMGC_DISPOSE_CLEAR
            ? .clear : state.disposal == IMGC_DISPOSE_RESTORE ? .restorePrevious : .keep
    }

    /// This frame, moved to the top left corner of the canvas and drawn without blending.
    var alone: Self {
        var alone = self
        alone.state.x = 0
        alone.state.y = 0
        alone.state.blend = UInt8(IMGC_BLEND_SOURCE)
        return alone
    }
}

extension FrameInfo {
    init(_ frame: CodecFrame) {
        let state = frame.state
        self.init(
            index: Int(state.number) - 1, x: Int(state.x), y: Int(state.y), width: Int(state.width),
            height: Int(state.height),
            delay: FrameDelay(
                numerator: Int(state.delay_numerator), denominator: max(1, Int(state.delay_denominator))),
            disposal: frame.disposal,
            blend: state.blend == IMGC_BLEND_OVER ? .over : .source)
    }
}

extension DecodeWarning: CustomStringConvertible {
    /// The stable name, such as `crc`.
    public var description: String { unsafe String(cString: imgc_warning_name(code)) }

    init(_ warning: imgc_warning) { code = UInt16(warning.rawValue) }

    // Warnings that Swift code raises. The C codecs also raise others.
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

extension ImageFormat {
    var codecFormat: imgc_format {
        switch self {
        case .png: IMGC_FORMAT_PNG
        case .jpeg: IMGC_FORMAT_JPEG
        case .gif: IMGC_FORMAT_GIF
        case .tiff: IMGC_FORMAT_TIFF
        case .bmp: IMGC_FORMAT_BMP
        case .webp: IMGC_FORMAT_WEBP
        }
    }
}

extension imgc_resample_request {
    init(resampling request: ResampleRequest) {
        var flags: UInt32 = 0
        if request.isOpaque { flags |= UInt32(IMGC_RESAMPLE_OPAQUE) }
        if request.linearLight { flags |= UInt32(IMGC_RESAMPLE_LINEAR) }
        self.init(
            source_width: UInt32(clamping: request.sourceWidth), source_height: UInt32(clamping: request.sourceHeight),
            crop_x: request.cropX, crop_y: request.cropY, crop_width: request.cropWidth,
            crop_height: request.cropHeight, width: UInt32(clamping: request.width),
            height: UInt32(clamping: request.height), filter: imgc_filter(resampling: request.filter), flags: flags)
    }
}

extension imgc_filter {
    fileprivate init(resampling filter: ResampleFilter) {
        self =
            switch filter {
            case .nearest: IMGC_FILTER_NEAREST
            case .box: IMGC_FILTER_BOX
            case .bilinear: IMGC_FILTER_BILINEAR
            case .mitchell: IMGC_FILTER_MITCHELL
            case .lanczos3: IMGC_FILTER_LANCZOS3
            }
    }
}

/// Properties of an ICC profile.
enum ColorProfile {
    /// The profile's description in English, at most 255 bytes of UTF-8; empty when the profile has no description.
    static func description(of profile: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: 256)
        unsafe imgc_icc_description(profile, profile.count, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension AvailableProcessors {
    /// Number of processors that the calling thread may run on; nil when the system does not report the number.
    /// Implemented in C, because the affinity masks need C macros.
    static var affinity: Int? {
        let count = Int(clamping: imgc_affinity_count())
        return count > 0 ? count : nil
    }
}
