// The bridge to the C encoders: converts bitmaps and options to C, and results and errors to Swift.

internal import CImageCodecs

/// The settings of one encode, for calls of the C encoders.
struct EncodeCall {
    let format: EncodedFormat
    let flag: CancellationFlag?

    /// Encodes a JPEG; nil when the file exceeds `maxBytes`. Stops as soon as the output exceeds `maxBytes`.
    func jpeg(
        _ bitmap: Bitmap, _ options: JPEGOptions, quality: Int, maxBytes: Int?
    ) throws(EncodeError) -> [UInt8]? {
        try checkSize(bitmap, maxSide: 65_500)
        let background = options.background
        var settings = imgc_jpeg_options(
            quality: UInt8(quality), chroma: options.chromaSubsampling.codecValue,
            is_progressive: options.isProgressive, optimizes_huffman: options.optimizesHuffman,
            background: (background.red, background.green, background.blue), avoids_gray: options.avoidsGray)
        let output = EncodedBytes(maxBytes: maxBytes)
        return try outputBytes(output) { (report) throws(EncodeError) in
            unsafe bitmap.withImage(bitmap.fullArea) { image in
                unsafe imgc_encode_jpeg(&image, &settings, flag?.pointer, &output.bytes, &report)
            }
        }
    }

    /// Encodes a PNG; nil when the file exceeds `maxBytes`.
    func png(_ bitmap: Bitmap, _ options: PNGOptions, level: Int, maxBytes: Int?) throws(EncodeError) -> [UInt8]? {
        let part = FramePart(bitmap: bitmap, area: bitmap.fullArea, delay: FrameDelay(numerator: 0, denominator: 1))
        return try png([part], frameCount: 0, loopCount: 0, options, level: level, maxBytes: maxBytes)
    }

    /// Encodes an APNG; nil when the file exceeds `maxBytes`.
    func apng(
        _ parts: [FramePart], loopCount: Int, _ options: PNGOptions, level: Int, maxBytes: Int?
    ) throws(EncodeError) -> [UInt8]? {
        try png(parts, frameCount: parts.count, loopCount: loopCount, options, level: level, maxBytes: maxBytes)
    }

    /// The part of a frame that an animation stores: the rectangle that differs from the previous frame. It is one
    /// pixel when the frames are equal, and the complete frame when there is no previous frame.
    ///
    /// - Parameter before: The previous frame, of the same size; nil for the first frame.
    func part(of bitmap: Bitmap, after before: Bitmap?, delay: FrameDelay) throws(EncodeError) -> FramePart {
        try poll()
        let area = before.map { bitmap.changedArea(from: $0) } ?? bitmap.fullArea
        return FramePart(bitmap: bitmap, area: area, delay: delay)
    }

    /// Encodes a PNG or APNG; a `frameCount` of 0 means a still image.
    private func png(
        _ parts: [FramePart], frameCount: Int, loopCount: Int, _ options: PNGOptions, level: Int, maxBytes: Int?
    ) throws(EncodeError) -> [UInt8]? {
        let canvas = parts[0].bitmap
        try checkSize(canvas, maxSide: Int(Int32.max))
        var settings = imgc_png_options(
            level: UInt8(level), filter: options.filter.codecValue, always_rgba: !options.reducesColors,
            declares_srgb: options.declaresSRGB, frame_count: UInt32(frameCount),
            play_count: UInt32(clamping: min(loopCount, Int(Int32.max))), avoids_gray: options.avoidsGray)
        guard let encoder = unsafe imgc_png_encoder_create(&settings, flag?.pointer) else {
            throw EncodeError(.outOfMemory, format: format, "png: out of memory")
        }
        defer { unsafe imgc_png_encoder_destroy(encoder) }
        let output = EncodedBytes(maxBytes: maxBytes)
        return try withExtendedLifetime(flag) { () throws(EncodeError) -> [UInt8]? in
            for part in parts {
                try run { report in
                    unsafe part.bitmap.withImage(part.area) { unsafe imgc_png_encoder_analyze(encoder, &$0, &report) }
                }
            }
            return try outputBytes(output) { (report) throws(EncodeError) in
                var status = unsafe imgc_png_encoder_begin(
                    encoder, UInt32(canvas.width), UInt32(canvas.height), &output.bytes, &report)
                for part in parts where status == IMGC_OK {
                    let delay = part.delay.apngFraction
                    var placement = imgc_png_placement(
                        x: part.area.x, y: part.area.y, delay_numerator: delay.numerator,
                        delay_denominator: delay.denominator)
                    status = unsafe part.bitmap.withImage(part.area) { image in
                        frameCount == 0
                            ? unsafe imgc_png_encoder_add(encoder, &image, nil, &output.bytes, &report)
                            : unsafe imgc_png_encoder_add(encoder, &image, &placement, &output.bytes, &report)
                    }
                }
                return status == IMGC_OK ? unsafe imgc_png_encoder_end(encoder, &output.bytes, &report) : status
            }
        }
    }
}

extension EncodeCall {
    func checkSize(_ bitmap: Bitmap, maxSide side: Int) throws(EncodeError) {
        guard bitmap.width > side || bitmap.height > side else { return }
        throw EncodeError(
            .tooLarge, format: format,
            "\(format.rawValue): \(bitmap.width) x \(bitmap.height) pixels exceed the limit of \(side) pixels per side")
    }

    func poll() throws(EncodeError) {
        var report = imgc_report()
        guard let flag else { return }
        switch unsafe imgc_cancel_poll(flag.pointer) {
        case IMGC_OK: return
        case IMGC_ERROR_CANCELLED: report.status = IMGC_ERROR_CANCELLED
        default: report.status = IMGC_ERROR_LIMIT
        }
        throw EncodeError(report, format)
    }

    func run(_ body: (inout imgc_report) -> imgc_status) throws(EncodeError) {
        var report = imgc_report()
        guard body(&report) == IMGC_OK else { throw EncodeError(report, format) }
    }

    /// Runs `body` and returns the bytes written to `output`; nil when the bytes exceed the limit of `output`.
    func outputBytes(
        _ output: EncodedBytes, _ body: (inout imgc_report) throws(EncodeError) -> imgc_status
    ) throws(EncodeError) -> [UInt8]? {
        var report = imgc_report()
        let status = try withExtendedLifetime(flag) { () throws(EncodeError) in try body(&report) }
        if status == IMGC_OK { return output.copy() }
        let isOverLimit = status == IMGC_ERROR_LIMIT && text(of: report.token) == "max_bytes"
        guard isOverLimit else { throw EncodeError(report, format) }
        return nil
    }
}

/// The part of a frame that an APNG stores: a rectangle of its bitmap.
struct FramePart {
    let bitmap: Bitmap
    fileprivate let area: imgc_rect
    let delay: FrameDelay
}

/// The memory that the C encoders write to.
@safe final class EncodedBytes {
    var bytes = unsafe imgc_output()

    init(maxBytes: Int?) { unsafe bytes.max_bytes = maxBytes ?? 0 }

    deinit { unsafe imgc_output_free(&bytes) }

    func copy() -> [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: bytes.data, count: bytes.count))
    }
}

extension EncodeError {
    fileprivate init(_ report: imgc_report, _ format: EncodedFormat) {
        let code: Code =
            switch report.status {
            case IMGC_ERROR_UNSUPPORTED: text(of: report.token) == "dimensions" ? .tooLarge : .unsupportedFormat
            case IMGC_ERROR_OUT_OF_MEMORY: .outOfMemory
            case IMGC_ERROR_CANCELLED: .cancelled
            case IMGC_ERROR_LIMIT: .deadlinePassed
            default: .internal
            }
        self.init(code, format: format, text(of: report.message))
    }
}

extension Bitmap {
    var fullArea: imgc_rect { imgc_rect(x: 0, y: 0, width: UInt32(width), height: UInt32(height)) }

    /// The smallest rectangle that contains all pixels that differ from `before`, a bitmap of the same size; one pixel
    /// when no pixels differ.
    fileprivate func changedArea(from before: Bitmap) -> imgc_rect {
        let area = unsafe before.withImage(before.fullArea) { old in
            unsafe withImage(fullArea) { new in unsafe imgc_changed_rect(&old, &new) }
        }
        return area.width > 0 ? area : imgc_rect(x: 0, y: 0, width: 1, height: 1)
    }

    /// Calls `body` with the pixels of a rectangle inside the bitmap, for the C encoders.
    func withImage<R>(_ area: imgc_rect, _ body: (inout imgc_image) -> R) -> R {
        let (offset, stride) = (Int(area.y) * bytesPerRow + Int(area.x) * 4, bytesPerRow)
        return storage.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                let pixels = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
                var image = unsafe imgc_image(
                    pixels: pixels.baseAddress, size: pixels.count, stride: stride, width: area.width,
                    height: area.height)
                return unsafe body(&image)
            }
        }
    }
}

extension ChromaSubsampling {
    fileprivate var codecValue: UInt8 {
        switch self {
        case .ratio420: UInt8(IMGC_CHROMA_420.rawValue)
        case .ratio422: UInt8(IMGC_CHROMA_422.rawValue)
        case .ratio444: UInt8(IMGC_CHROMA_444.rawValue)
        }
    }
}

extension PNGFilter {
    fileprivate var codecValue: UInt8 {
        switch self {
        case .none: UInt8(IMGC_FILTER_NONE.rawValue)
        case .sub: UInt8(IMGC_FILTER_SUB.rawValue)
        case .up: UInt8(IMGC_FILTER_UP.rawValue)
        case .average: UInt8(IMGC_FILTER_AVERAGE.rawValue)
        case .paeth: UInt8(IMGC_FILTER_PAETH.rawValue)
        case .adaptive: UInt8(IMGC_FILTER_ADAPTIVE.rawValue)
        case .automatic: UInt8(IMGC_FILTER_AUTOMATIC.rawValue)
        }
    }
}
