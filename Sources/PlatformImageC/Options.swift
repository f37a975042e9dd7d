import CPlatformImageInterface
import PlatformImage

/// Decoder and deadline of one call, from `pi_decode_options`.
struct DecodeSettings {
    var decoder = ImageDecoder()
    var deadline: ContinuousClock.Instant?

    /// - Parameter pointer: NULL for the defaults.
    init(_ pointer: UnsafePointer<pi_decode_options>?) throws(InterfaceError) {
        guard pointer != nil else { return }
        let options = try StructMemory.read(pointer, "options")
        try checkReserved(options.reserved, "options")
        try checkFlags(options.flags, PI_DECODE_KEEPS_ORIENTATION | PI_DECODE_KEEPS_COLORS, "options.flags")
        var limits = DecodeLimits()
        limits.maxInputBytes = Self.limit(options.max_input_bytes, default: limits.maxInputBytes)
        limits.maxPixels = Self.limit(options.max_pixels, default: limits.maxPixels)
        limits.maxMemory = Self.limit(options.max_memory_bytes, default: limits.maxMemory)
        decoder.options.limits = limits
        deadline = deadlineInstant(milliseconds: options.deadline_ms)
        decoder.options.strictness = try value(
            options.strictness,
            [
                PI_STRICTNESS_LENIENT: .lenient, PI_STRICTNESS_TRUNCATED: .truncated, PI_STRICTNESS_CORRUPT: .corrupt,
                PI_STRICTNESS_WARNING: .warning,
            ], "options.strictness")
        decoder.options.page = Int(clamping: options.page)
        decoder.options.appliesOrientation = options.flags & UInt32(PI_DECODE_KEEPS_ORIENTATION) == 0
        decoder.options.convertsToSRGB = options.flags & UInt32(PI_DECODE_KEEPS_COLORS) == 0
        if options.allowed_formats != 0 {
            let formats = Set(ImageFormat.allCases.filter { options.allowed_formats & $0.interfaceBit != 0 })
            let known = ImageFormat.allCases.reduce(0) { $0 | $1.interfaceBit }
            guard options.allowed_formats & ~known == 0 else {
                throw .invalidArgument("options.allowed_formats", "contains an unknown format")
            }
            decoder.options.allowedFormats = formats
        }
    }

    private static func limit(_ number: UInt64, default standard: Int?) -> Int? {
        number == 0 ? standard : number == .max ? nil : Int(clamping: number)
    }
}

extension ImageFormat {
    /// The value of the format in the C interface.
    var interfaceValue: Int32 {
        let value =
            switch self {
            case .png: PI_FORMAT_PNG
            case .jpeg: PI_FORMAT_JPEG
            case .gif: PI_FORMAT_GIF
            case .tiff: PI_FORMAT_TIFF
            case .bmp: PI_FORMAT_BMP
            case .webp: PI_FORMAT_WEBP
            }
        return Int32(value)
    }

    fileprivate var interfaceBit: UInt32 { 1 << UInt32(interfaceValue) }
}

extension ThumbnailOptions {
    init(_ pointer: UnsafePointer<pi_thumbnail_options>?) throws(InterfaceError) {
        let options = try StructMemory.read(pointer, "thumbnail")
        let flags = options.flags
        func isSet(_ flag: Int) -> Bool { flags & UInt32(flag) != 0 }
        try checkReserved(options.reserved, "thumbnail")
        try checkFlags(
            flags,
            PI_THUMBNAIL_ENLARGES | PI_THUMBNAIL_PADS | PI_THUMBNAIL_LINEAR_LIGHT | PI_THUMBNAIL_USES_EMBEDDED
                | PI_THUMBNAIL_GRAVITY | PI_THUMBNAIL_BACKGROUND, "thumbnail.flags")
        self.init(
            width: options.width == 0 ? nil : Int(clamping: options.width),
            height: options.height == 0 ? nil : Int(clamping: options.height),
            fit: try value(
                options.fit,
                [
                    PI_FIT_CONTAIN: .contain, PI_FIT_COVER: .cover, PI_FIT_FILL: .fill, PI_FIT_SCALE_DOWN: .scaleDown,
                ], "thumbnail.fit"))
        filter = try value(
            options.filter,
            [
                PI_FILTER_LANCZOS3: .lanczos3, PI_FILTER_NEAREST: .nearest, PI_FILTER_BOX: .box,
                PI_FILTER_BILINEAR: .bilinear, PI_FILTER_MITCHELL: .mitchell,
            ], "thumbnail.filter")
        quality = try value(
            options.accuracy,
            [
                PI_ACCURACY_BALANCED: .balanced, PI_ACCURACY_EXACT: .exact, PI_ACCURACY_FAST: .fast,
                PI_ACCURACY_DRAFT: .draft,
            ], "thumbnail.accuracy")
        allowsUpscaling = isSet(PI_THUMBNAIL_ENLARGES)
        padsToBox = isSet(PI_THUMBNAIL_PADS)
        linearLight = isSet(PI_THUMBNAIL_LINEAR_LIGHT)
        usesEmbeddedThumbnail = isSet(PI_THUMBNAIL_USES_EMBEDDED)
        if isSet(PI_THUMBNAIL_GRAVITY) {
            gravity = Gravity(x: options.gravity_x, y: options.gravity_y)
        } else if options.gravity_x != 0 || options.gravity_y != 0 {
            throw .invalidArgument("thumbnail.gravity", "is set without PI_THUMBNAIL_GRAVITY")
        }
        if isSet(PI_THUMBNAIL_BACKGROUND) {
            let (red, green, blue, alpha) = options.background
            background = RGBA8(red: red, green: green, blue: blue, alpha: alpha)
        } else if options.background != (0, 0, 0, 0) {
            throw .invalidArgument("thumbnail.background", "is set without PI_THUMBNAIL_BACKGROUND")
        }
        if (options.crop_x, options.crop_y, options.crop_width, options.crop_height) != (0, 0, 0, 0) {
            crop = PixelRectangle(
                x: Int(options.crop_x), y: Int(options.crop_y), width: Int(clamping: options.crop_width),
                height: Int(clamping: options.crop_height))
        }
        do throws(DecodeError) { try check() } catch { throw InterfaceError(error) }
    }
}

/// Format, options and deadline of an encode, from `pi_encode_options`.
struct EncodeSettings {
    let format: EncodedFormat
    var encoder = ImageEncoder()
    /// Milliseconds from the start of the encode; 0 for none.
    let deadlineMilliseconds: UInt32

    init(_ pointer: UnsafePointer<pi_encode_options>?) throws(InterfaceError) {
        let options = try StructMemory.read(pointer, "encode")
        try checkReserved(options.reserved, "encode")
        try checkFlags(options.flags, PI_ENCODE_WEBP_LOSSLESS | PI_ENCODE_JPEG_PROGRESSIVE, "encode.flags")
        format = try value(
            options.format,
            [PI_FORMAT_PNG: .png, PI_FORMAT_JPEG: .jpeg, PI_FORMAT_WEBP: .webp, PI_FORMAT_GIF: .gif], "encode.format")
        encoder.options.webp.effort = try value(
            options.webp_effort,
            [PI_WEBP_EFFORT_DEFAULT: .default, PI_WEBP_EFFORT_FAST: .fast, PI_WEBP_EFFORT_SMALL: .small],
            "encode.webp_effort")
        guard options.quality <= 100 else {
            throw .invalidArgument("encode.quality", "is \(options.quality), allowed: 0 to 100")
        }
        if options.quality != 0 {
            encoder.options.jpeg.quality = Int(options.quality)
            encoder.options.webp.quality = Int(options.quality)
        }
        encoder.options.webp.isLossless = options.flags & UInt32(PI_ENCODE_WEBP_LOSSLESS) != 0
        encoder.options.jpeg.isProgressive = options.flags & UInt32(PI_ENCODE_JPEG_PROGRESSIVE) != 0
        if options.max_bytes != 0 { encoder.options.maxBytes = Int(clamping: options.max_bytes) }
        deadlineMilliseconds = options.deadline_ms
    }
}

/// The value for a number of the C interface.
///
/// - Throws: `PI_INVALID_ARGUMENT` when `values` does not contain the number.
func value<T>(_ number: Int32, _ values: KeyValuePairs<Int, T>, _ name: String) throws(InterfaceError) -> T {
    guard let found = values.first(where: { $0.key == Int(number) }) else {
        let allowed = values.map { "\($0.key)" }.joined(separator: ", ")
        throw .invalidArgument(name, "is \(number), allowed: \(allowed)")
    }
    return found.value
}

/// The end of a call that starts now; nil for 0.
func deadlineInstant(milliseconds: UInt32) -> ContinuousClock.Instant? {
    milliseconds == 0 ? nil : .now + .milliseconds(Int64(milliseconds))
}

private func checkReserved(_ number: UInt32, _ name: String) throws(InterfaceError) {
    guard number == 0 else { throw .invalidArgument("\(name).reserved", "is not 0") }
}

private func checkFlags(_ flags: UInt32, _ known: Int, _ name: String) throws(InterfaceError) {
    guard flags & ~UInt32(known) == 0 else { throw .invalidArgument(name, "contains an unknown flag") }
}
