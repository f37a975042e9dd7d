// The bridge to the C codecs: converts decode settings to C requests, and C reports to errors and damage.

internal import CImageCodecs

/// The settings of one decode, for calls of its codec.
struct CodecCall {
    let format: ImageFormat
    let options: DecodeOptions
    var flag: CancellationFlag?
    var cmykTransform: ColorTransform?
    /// True when the image is resampled while it is read: only the rows in memory then count against the memory limits.
    var resamples = false
    /// Shared by all copies of this value, so that the limit of the work applies to all calls for the file.
    let work = WorkMeter()

    /// Reads the header as the codec reports it: width and height are those of the stored image after JPEG scaling.
    func header(
        of bytes: Span<UInt8>, countsFrames: Bool = false, damage: inout Damage
    ) throws(DecodeError) -> CodecHeader {
        var header = CodecHeader()
        try unsafe call(bytes, flags: countsFrames ? UInt32(IMGC_COUNT_FRAMES) : 0, damage: &damage) {
            request, report in
            unsafe imgc_read_header(&request, &header.values, &report)
        }
        return header
    }

    /// Describes the pages of a TIFF in the order of their numbers, at most `count`.
    func pages(in bytes: Span<UInt8>, count: Int) throws(DecodeError) -> [PageInfo] {
        var pages = [imgc_page](repeating: imgc_page(), count: count)
        var found: UInt32 = 0
        var damage = Damage()
        try unsafe call(bytes, damage: &damage) { request, report in
            unsafe imgc_read_pages(&request, &pages, UInt32(clamping: count), &found, &report)
        }
        return pages.prefix(Int(clamping: found)).map(PageInfo.init)
    }

    /// Reads the embedded ICC profile; `count` is its size in bytes, reported by the header.
    func iccProfile(in bytes: Span<UInt8>, count: Int) throws(DecodeError) -> [UInt8] {
        var profile = [UInt8](repeating: 0, count: count)
        var damage = Damage()
        try unsafe call(bytes, damage: &damage) { request, report in
            unsafe imgc_read_icc(&request, &profile, count, &report)
        }
        return profile
    }

    /// Decodes the still image onto `pixels` with `orientation` applied; `width` and `height` are the oriented size.
    ///
    /// - Parameter stride: Bytes from row to row of `pixels`; the padding is not written.
    func decode(
        _ bytes: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, stride: Int, width: Int, height: Int,
        orientation: Orientation, damage: inout Damage
    ) throws(DecodeError) {
        try unsafe pixels.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(
                pixels.baseAddress, pixels.count, stride: stride, width, height, orientation)
            try unsafe call(bytes, damage: &damage) { request, report in
                unsafe imgc_decode(&request, &target, &report)
            }
        }
    }

    /// Maximum number of resampled results of one decode.
    static let maxOutputs = Int(IMGC_MAX_OUTPUTS)

    /// Decodes the still image once, without orientation. For each output, resamples the image by the output's request
    /// into the output's storage.
    ///
    /// - Parameter outputs: 1 to ``maxOutputs``, with equal source sizes and equal `isOpaque`.
    func decode(
        _ bytes: Span<UInt8>, resampledTo outputs: [(request: ResampleRequest, storage: PixelStorage)],
        skipping detail: SkippedDetail, damage: inout Damage
    ) throws(DecodeError) {
        let resamples = outputs.map { imgc_resample_request(resampling: $0.request) }
        try unsafe Self.withTargets(outputs[...], []) { (targets) throws(DecodeError) in
            try unsafe call(bytes, flags: detail.codecFlags, damage: &damage) { call, report in
                unsafe imgc_decode_resampled_all(&call, resamples, targets, UInt32(targets.count), &report)
            }
        }
    }

    /// Calls `body` with one target for each storage; the targets are valid during the call.
    private static func withTargets(
        _ outputs: ArraySlice<(request: ResampleRequest, storage: PixelStorage)>, _ targets: [imgc_target],
        _ body: ([imgc_target]) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        guard let (request, storage) = outputs.first else { return try unsafe body(targets) }
        try unsafe storage.withMutablePointer { (pixels) throws(DecodeError) in
            let next = unsafe target(pixels, storage.byteCount, request.width, request.height, .up)
            try unsafe withTargets(outputs.dropFirst(), targets + [next], body)
        }
    }

    /// Advances to the next frame; false after the last one.
    func advance(_ frame: inout CodecFrame, in bytes: Span<UInt8>, damage: inout Damage) throws(DecodeError) -> Bool {
        try unsafe call(bytes, damage: &damage) { request, report in
            unsafe imgc_next_frame(&request, &frame.state, &report)
        } == IMGC_OK
    }

    /// Draws the frame onto a canvas of `width * height` pixels.
    func draw(
        _ frame: CodecFrame, of bytes: Span<UInt8>, onto canvas: PixelStorage, width: Int, height: Int,
        damage: inout Damage
    ) throws(DecodeError) {
        var frame = frame
        try unsafe canvas.withMutablePointer { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(pixels, canvas.byteCount, width, height, .up)
            try unsafe call(bytes, damage: &damage) { request, report in
                unsafe imgc_draw_frame(&request, &frame.state, &target, &report)
            }
        }
    }

    /// Converts all pixels to sRGB in place.
    func convert(
        _ storage: PixelStorage, width: Int, height: Int, with transform: ColorTransform, damage: inout Damage
    ) throws(DecodeError) {
        try storage.withMutableBytes { (pixels) throws(DecodeError) in
            try convert(&pixels, stride: width * 4, width: width, height: height, with: transform, damage: &damage)
        }
    }

    /// Converts all pixels to sRGB in place; `stride` is the number of bytes from row to row.
    func convert(
        _ pixels: inout MutableSpan<UInt8>, stride: Int, width: Int, height: Int, with transform: ColorTransform,
        damage: inout Damage
    ) throws(DecodeError) {
        try unsafe pixels.withUnsafeMutableBytes { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(pixels.baseAddress, pixels.count, stride: stride, width, height, .up)
            let handle = unsafe transform.handle
            let noBytes: [UInt8] = []
            try unsafe call(noBytes.span, damage: &damage) { request, report in
                unsafe imgc_transform_apply(handle, &request, &target, &report)
            }
        }
    }

    /// - Parameter stride: Bytes from row to row; nil for rows without padding.
    fileprivate static func target(
        _ pixels: UnsafeMutableRawPointer?, _ byteCount: Int, stride: Int? = nil, _ width: Int, _ height: Int,
        _ orientation: Orientation
    ) -> imgc_target {
        unsafe imgc_target(
            pixels: pixels, size: byteCount, stride: stride ?? width * 4, width: UInt32(width), height: UInt32(height),
            orientation: orientation.rawValue)
    }

    @discardableResult
    private func call(
        _ bytes: Span<UInt8>, flags: UInt32 = 0, damage: inout Damage,
        _ body: (inout imgc_request, inout imgc_report) -> imgc_status
    ) throws(DecodeError) -> imgc_status {
        var report = imgc_report()
        var units = imgc_work(units: work.total, not_counted: work.notCounted)
        defer { (work.total, work.notCounted) = (units.units, units.not_counted) }
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
            unsafe request.max_counted_frames = UInt32(clamping: options.maxCountedFrames)
            unsafe request.cancel = flag?.pointer
            unsafe request.cmyk_transform = cmykTransform?.handle
            unsafe request.memory = imgc_memory(
                allocate: { unsafe PixelPool.shared.acquireOrMap(byteCount: $0) },
                release: { unsafe PixelPool.shared.release($0, byteCount: $1) })
            return unsafe withUnsafeMutablePointer(to: &units) { units in
                unsafe request.work = units
                return withExtendedLifetime((flag, cmykTransform)) { unsafe body(&request, &report) }
            }
        }
        damage.add(Damage(report))
        guard status == IMGC_OK || status == IMGC_END_OF_FRAMES else { throw DecodeError(status, report, format) }
        return status
    }
}

extension CodecCall {
    static func signature(of bytes: Span<UInt8>) -> ImageSignature {
        let found = unsafe bytes.withUnsafeBufferPointer { unsafe imgc_probe($0.baseAddress, $0.count) }
        if let format = ImageFormat.allCases.first(where: { $0.codecFormat == found }) {
            return format.isBuiltIn ? .decodable(format) : .refused(format.rawValue)
        }
        switch found {
        case IMGC_FORMAT_AVIF: return .refused("avif")
        case IMGC_FORMAT_HEIC: return .refused("heic")
        case IMGC_FORMAT_JPEGXL: return .refused("jpegxl")
        case IMGC_FORMAT_JPEG2000: return .refused("jpeg2000")
        case IMGC_FORMAT_SVG: return .refused("svg")
        case IMGC_FORMAT_CGBI: return .refused("cgbi")
        default: return .unknown
        }
    }

    /// The name and version of the C library that decodes a format, such as `libpng 1.6.39`.
    static func libraryVersion(of format: ImageFormat) -> String {
        unsafe String(cString: imgc_codec_version(format.codecFormat))
    }

    /// Sets the frame's rectangle, clipped to the canvas, to transparent black.
    static func clear(_ frame: CodecFrame, on canvas: PixelStorage, width: Int, height: Int) {
        unsafe canvas.withMutablePointer { pixels in
            var target = unsafe Self.target(pixels, canvas.byteCount, width, height, .up)
            unsafe imgc_clear_rect(&target, frame.state.x, frame.state.y, frame.state.width, frame.state.height)
        }
    }
}

extension SkippedDetail {
    fileprivate var codecFlags: UInt32 {
        (contains(.lastRefinement) ? UInt32(IMGC_NO_LAST_REFINEMENT) : 0)
            | (contains(.laterScans) ? UInt32(IMGC_LOW_SCANS_ONLY) : 0)
            | (contains(.chroma) ? UInt32(IMGC_FLAT_CHROMA) : 0)
            | (contains(.highFrequencies) ? UInt32(IMGC_LOW_FREQUENCIES) : 0)
    }
}

/// A colour conversion to sRGB, shared between threads.
@safe final class ColorTransform: Sendable {
    /// Valid until deinit; lcms2 only reads it (created with `cmsFLAGS_NOCACHE`).
    nonisolated(unsafe) let handle: OpaquePointer

    init(handle: OpaquePointer) { unsafe self.handle = handle }
    deinit { unsafe imgc_transform_destroy(handle) }

    var isCMYK: Bool { unsafe imgc_transform_is_cmyk(handle) }

    /// Creates the conversion for a header and profile; the transform is nil when no conversion is needed or the
    /// profile is not usable.
    ///
    /// - Parameter icc: The embedded ICC profile; empty when the image has no profile.
    static func create(
        icc: [UInt8], header: CodecHeader, format: ImageFormat
    ) throws(DecodeError) -> (transform: ColorTransform?, damage: Damage) {
        var report = imgc_report()
        var handle: OpaquePointer?
        let status = unsafe icc.withUnsafeBufferPointer { icc in
            unsafe withUnsafePointer(to: header.values) { values in
                var source = unsafe imgc_color_source(
                    icc: icc.isEmpty ? nil : icc.baseAddress, icc_size: icc.count, header: values)
                return unsafe imgc_transform_create(&source, &handle, &report)
            }
        }
        guard status == IMGC_OK else { throw DecodeError(status, report, format) }
        return unsafe (handle.map { unsafe ColorTransform(handle: $0) }, Damage(report))
    }
}
