// The bridge to the C codecs: builds requests, turns reports into errors and damage.

internal import CImageCodecs

/// One decode's settings, ready to call the codec with.
struct CodecCall {
    let format: ImageFormat
    let options: DecodeOptions
    var flag: CancellationFlag?
    var cmykTransform: ColorTransform?
    /// Pixels count against the limits by the rows that are held of them: the header is read for a thumbnail.
    var resamples = false

    /// A header as the codec gives it: stored size after JPEG scaling.
    func header(
        of bytes: Span<UInt8>, countsFrames: Bool = false, damage: inout Damage
    ) throws(DecodeError) -> imgc_header {
        var header = imgc_header()
        try unsafe call(bytes, flags: countsFrames ? UInt32(IMGC_COUNT_FRAMES) : 0, damage: &damage) {
            request, report in
            unsafe imgc_read_header(&request, &header, &report)
        }
        return header
    }

    /// The embedded profile of `count` bytes, as the header said.
    func iccProfile(in bytes: Span<UInt8>, count: Int) throws(DecodeError) -> [UInt8] {
        var profile = [UInt8](repeating: 0, count: count)
        var damage = Damage()
        try unsafe call(bytes, damage: &damage) { request, report in
            unsafe imgc_read_icc(&request, &profile, count, &report)
        }
        return profile
    }

    /// Fills `storage` with the still picture, turned by `orientation`; `width` and `height` are those after turning.
    func decode(
        _ bytes: Span<UInt8>, into storage: PixelStorage, width: Int, height: Int, orientation: Orientation,
        damage: inout Damage
    ) throws(DecodeError) {
        try unsafe storage.withMutablePointer { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(pixels, storage.byteCount, width, height, orientation)
            try unsafe call(bytes, damage: &damage) { request, report in
                unsafe imgc_decode(&request, &target, &report)
            }
        }
    }

    /// Moves on to the next frame; false after the last one.
    func advance(_ frame: inout imgc_frame, in bytes: Span<UInt8>, damage: inout Damage) throws(DecodeError) -> Bool {
        try unsafe call(bytes, damage: &damage) { request, report in
            unsafe imgc_next_frame(&request, &frame, &report)
        } == IMGC_OK
    }

    /// Draws the frame onto a canvas of `width * height` pixels.
    func draw(
        _ frame: imgc_frame, of bytes: Span<UInt8>, onto canvas: PixelStorage, width: Int, height: Int,
        damage: inout Damage
    ) throws(DecodeError) {
        var frame = frame
        try unsafe canvas.withMutablePointer { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(pixels, canvas.byteCount, width, height, .up)
            try unsafe call(bytes, damage: &damage) { request, report in
                unsafe imgc_draw_frame(&request, &frame, &target, &report)
            }
        }
    }

    /// Converts all pixels to sRGB in place.
    func convert(
        _ storage: PixelStorage, width: Int, height: Int, with transform: ColorTransform, damage: inout Damage
    ) throws(DecodeError) {
        try unsafe storage.withMutablePointer { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(pixels, storage.byteCount, width, height, .up)
            let handle = unsafe transform.handle
            let nothing: [UInt8] = []
            try unsafe call(nothing.span, damage: &damage) { request, report in
                unsafe imgc_transform_apply(handle, &request, &target, &report)
            }
        }
    }

    static func target(
        _ pixels: UnsafeMutableRawPointer, _ byteCount: Int, _ width: Int, _ height: Int, _ orientation: Orientation
    ) -> imgc_target {
        unsafe imgc_target(
            pixels: pixels, size: byteCount, stride: width * 4, width: UInt32(width), height: UInt32(height),
            orientation: orientation.rawValue)
    }

    @discardableResult
    func call(
        _ bytes: Span<UInt8>, flags: UInt32 = 0, damage: inout Damage,
        _ body: (inout imgc_request, inout imgc_report) -> imgc_status
    ) throws(DecodeError) -> imgc_status {
        var report = imgc_report()
        let status = unsafe bytes.withUnsafeBufferPointer { buffer in
            var request = unsafe imgc_request()
            unsafe request.data = buffer.baseAddress
            unsafe request.size = buffer.count
            unsafe request.format = format.codecFormat
            unsafe request.limits = imgc_limits(options.limits)
            unsafe request.strictness = imgc_strictness(UInt32(options.strictness.rawValue))
            unsafe request.flags =
                flags | (options.refusesRareCodecs ? UInt32(IMGC_NO_RARE_TIFF_CODECS) : 0)
                | (resamples ? UInt32(IMGC_RESAMPLES) : 0)
                | (options.usesLibrariesAlone ? UInt32(IMGC_LIBRARIES_ONLY) : 0)
                | (options.usesLeastMemory ? UInt32(IMGC_LEAST_MEMORY) : 0)
            unsafe request.scale_denominator = UInt32(clamping: options.scaleDenominator)
            unsafe request.page = UInt32(clamping: options.page)
            unsafe request.most_counted_frames = UInt32(clamping: options.maxCountedFrames)
            unsafe request.cancel = flag?.handle
            unsafe request.cmyk_transform = cmykTransform?.handle
            unsafe request.memory = imgc_memory(
                take: { unsafe PixelPool.shared.takeOrMap(byteCount: $0) },
                give: { unsafe PixelPool.shared.put($0, byteCount: $1) })
            return withExtendedLifetime((flag, cmykTransform)) { unsafe body(&request, &report) }
        }
        damage.add(Damage(report))
        guard status == IMGC_OK || status == IMGC_END_OF_FRAMES else { throw DecodeError(status, report, format) }
        return status
    }
}

extension CodecCall {
    static func signature(of bytes: Span<UInt8>) -> ImageSignature {
        let format = unsafe bytes.withUnsafeBufferPointer { unsafe imgc_probe($0.baseAddress, $0.count) }
        switch format {
        case IMGC_FORMAT_PNG: return .decodable(.png)
        case IMGC_FORMAT_JPEG: return .decodable(.jpeg)
        case IMGC_FORMAT_GIF: return .decodable(.gif)
        case IMGC_FORMAT_TIFF: return .decodable(.tiff)
        case IMGC_FORMAT_BMP: return .decodable(.bmp)
        case IMGC_FORMAT_WEBP: return .refused("webp")
        case IMGC_FORMAT_AVIF: return .refused("avif")
        case IMGC_FORMAT_HEIC: return .refused("heic")
        case IMGC_FORMAT_JPEGXL: return .refused("jpegxl")
        case IMGC_FORMAT_JPEG2000: return .refused("jpeg2000")
        case IMGC_FORMAT_SVG: return .refused("svg")
        case IMGC_FORMAT_CGBI: return .refused("cgbi")
        default: return .unknown
        }
    }

    static func name(of warning: DecodeWarning) -> String {
        unsafe String(cString: imgc_warning_name(warning.code))
    }

    /// The version of the library behind a format, such as `libpng 1.6.39`.
    static func libraryVersion(of format: ImageFormat) -> String {
        unsafe String(cString: imgc_codec_version(format.codecFormat))
    }

    /// The source, turned, as a new bitmap's storage; `width` and `height` are the source's.
    static func turn(
        _ source: PixelStorage, width: Int, height: Int, by orientation: Orientation, into target: PixelStorage
    ) {
        let swaps = orientation.swapsSides
        let fits = unsafe source.withMutablePointer { from in
            unsafe target.withMutablePointer { to in
                var original = unsafe Self.target(from, source.byteCount, width, height, .up)
                var turned = unsafe Self.target(
                    to, target.byteCount, swaps ? height : width, swaps ? width : height, orientation)
                return unsafe imgc_turn(&original, &turned)
            }
        }
        precondition(fits, "the target has the turned size")
    }

    /// Sets a rectangle of the canvas, clipped, to transparent black.
    static func clear(_ frame: imgc_frame, on canvas: PixelStorage, width: Int, height: Int) {
        unsafe canvas.withMutablePointer { pixels in
            var target = unsafe Self.target(pixels, canvas.byteCount, width, height, .up)
            unsafe imgc_clear_rect(&target, frame.x, frame.y, frame.width, frame.height)
        }
    }
}

extension ImageFormat {
    var codecFormat: imgc_format {
        switch self {
        case .png: IMGC_FORMAT_PNG
        case .jpeg: IMGC_FORMAT_JPEG
        case .gif: IMGC_FORMAT_GIF
        case .tiff: IMGC_FORMAT_TIFF
        case .bmp: IMGC_FORMAT_BMP
        }
    }
}
