import CPlatformImageInterface
import PlatformImage

/// A file in the caller's memory, with the decoder and the deadline of one call.
struct InputImage {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let settings: DecodeSettings
    private let flag: CancellationFlag?

    /// Checks the arguments that all functions with a file as input have.
    init(
        _ bytes: UnsafePointer<UInt8>?, _ byteCount: Int, _ options: UnsafePointer<pi_decode_options>?
    ) throws(InterfaceError) {
        self.bytes = try CallerMemory.input(bytes, byteCount, "bytes")
        settings = try DecodeSettings(options)
        flag = settings.deadline.map { CancellationFlag(deadline: $0) }
    }

    func info() throws(InterfaceError) -> pi_image_info { pi_image_info(try header()) }

    func decode(into image: inout pi_image) throws(InterfaceError) {
        let layout = try image.pixelLayout()
        let output = try CallerMemory.output(image.pixels, capacity: image.capacity, "image.pixels")
        try CallerMemory.checkDisjoint(bytes, output, "image.pixels")
        guard let output else { throw try tooSmall(&image, layout) }
        var span = output.mutableSpan
        let decoded: DecodedBuffer
        do throws(DecodeError) {
            decoded = try settings.decoder.decode(
                borrowing: bytes.span, into: &span, layout: layout, stride: image.stride == 0 ? nil : image.stride,
                cancellation: flag)
        } catch {
            if error.code == .invalidArgument, error.detail == "buffer" { throw try tooSmall(&image, layout) }
            throw InterfaceError(error)
        }
        try image.setSize(width: decoded.width, height: decoded.height, layout)
        image.set(DecodedRows(decoded.status, of: decoded.header))
    }

    func thumbnail(_ options: ThumbnailOptions, into image: inout pi_image) throws(InterfaceError) {
        let layout = try image.pixelLayout()
        let output = try CallerMemory.output(image.pixels, capacity: image.capacity, "image.pixels")
        try CallerMemory.checkDisjoint(bytes, output, "image.pixels")
        guard let output else {
            let (width, height) = try displaySize()
            guard let size = options.size(ofWidth: width, height: height) else {
                throw InterfaceError(PI_EMPTY_CROP, "the crop contains no pixel of the image")
            }
            try image.setSize(width: size.width, height: size.height, layout)
            throw .bufferTooSmall(0, required: image.byte_count)
        }
        let made = try thumbnail(options)
        try image.setSize(width: made.bitmap.width, height: made.bitmap.height, layout)
        guard output.count >= image.byte_count else {
            throw .bufferTooSmall(output.count, required: image.byte_count)
        }
        var span = output.mutableSpan
        do throws(DecodeError) {
            try made.bitmap.copyPixels(to: &span, layout: layout, stride: image.stride)
        } catch {
            throw InterfaceError(error)
        }
        image.set(DecodedRows(made.status, of: made.header))
    }

    func encodeThumbnail(
        _ options: ThumbnailOptions, _ encode: EncodeSettings, into file: inout pi_file
    ) throws(InterfaceError) {
        let output = try CallerMemory.output(file.bytes, capacity: file.capacity, "file.bytes")
        try CallerMemory.checkDisjoint(bytes, output, "file.bytes")
        let made = try thumbnail(options)
        var encode = encode
        encode.encoder.options.webp.usesLosslessUnlessLarger = made.header.colorModel == .indexed
        try encode.write(made.bitmap, before: settings.deadline, to: output, &file)
        let rows = DecodedRows(made.status, of: made.header)
        (file.damage, file.intact_rows) = (rows.damage, rows.intact)
    }

    private func thumbnail(_ options: ThumbnailOptions) throws(InterfaceError) -> DecodedImage {
        do throws(DecodeError) {
            return try settings.decoder.thumbnail(borrowing: bytes.span, options: options, cancellation: flag)
        } catch {
            throw InterfaceError(error)
        }
    }

    private func header() throws(InterfaceError) -> ImageHeader {
        do throws(DecodeError) {
            return try settings.decoder.header(borrowing: bytes.span, cancellation: flag)
        } catch {
            throw InterfaceError(error)
        }
    }

    /// Size after orientation, unless the decoder does not apply it.
    private func displaySize() throws(InterfaceError) -> (width: Int, height: Int) {
        let header = try header()
        let isUpright = settings.decoder.options.appliesOrientation
        return isUpright ? (header.displayWidth, header.displayHeight) : (header.width, header.height)
    }

    /// Sets the size of the complete image and returns the error for it.
    private func tooSmall(_ image: inout pi_image, _ layout: PixelLayout) throws(InterfaceError) -> InterfaceError {
        let (width, height) = try displaySize()
        try image.setSize(width: width, height: height, layout)
        return .bufferTooSmall(image.capacity, required: image.byte_count)
    }
}

extension EncodeSettings {
    /// Encodes pixels of the caller.
    func write(_ image: pi_image, to file: inout pi_file) throws(InterfaceError) {
        let layout = try image.pixelLayout()
        let pixels = try CallerMemory.input(UnsafePointer(image.pixels), image.capacity, "image.pixels")
        let output = try CallerMemory.output(file.bytes, capacity: file.capacity, "file.bytes")
        try CallerMemory.checkDisjoint(pixels, output, "file.bytes")
        let bitmap: Bitmap
        do throws(DecodeError) {
            bitmap = try Bitmap(
                width: Int(clamping: image.width), height: Int(clamping: image.height), bytes: pixels.span,
                layout: layout, stride: image.stride == 0 ? nil : image.stride, limits: .unlimited)
        } catch {
            throw InterfaceError(error)
        }
        try write(bitmap, before: nil, to: output, &file)
    }

    /// Encodes a bitmap and copies the file to `output`; nil is a size query.
    fileprivate func write(
        _ bitmap: Bitmap, before deadline: ContinuousClock.Instant?, to output: UnsafeMutableBufferPointer<UInt8>?,
        _ file: inout pi_file
    ) throws(InterfaceError) {
        let deadlines = [deadline, deadlineInstant(milliseconds: deadlineMilliseconds)]
        let flag = deadlines.compactMap(\.self).min().map { CancellationFlag(deadline: $0) }
        let encoded: [UInt8]
        do throws(EncodeError) {
            encoded = try encoder.encode(bitmap, as: format, cancellation: flag)
        } catch {
            let error = InterfaceError(error)
            file.byte_count = error.byteCount
            throw error
        }
        file.byte_count = encoded.count
        (file.width, file.height) = (UInt32(clamping: bitmap.width), UInt32(clamping: bitmap.height))
        guard let output, output.count >= encoded.count else {
            throw .bufferTooSmall(file.capacity, required: encoded.count)
        }
        _ = output.update(fromContentsOf: encoded)
    }
}

extension CancellationFlag {
    fileprivate convenience init(deadline: ContinuousClock.Instant) {
        self.init()
        setDeadline(deadline)
    }
}

extension pi_image {
    fileprivate mutating func set(_ rows: DecodedRows) { (damage, intact_rows) = (rows.damage, rows.intact) }
}

extension pi_image_info {
    fileprivate init(_ header: ImageHeader) {
        self.init()
        icc_profile_bytes = UInt64(header.iccProfileByteCount)
        format = header.format.interfaceValue
        color_model = Int32(header.colorModel.interfaceValue)
        (width, height) = (UInt32(clamping: header.width), UInt32(clamping: header.height))
        (display_width, display_height) = header.orientation.swapsSides ? (height, width) : (width, height)
        orientation = UInt32(header.orientation.rawValue)
        bits_per_channel = UInt32(clamping: header.bitsPerChannel)
        channel_count = UInt32(clamping: header.channelCount)
        frame_count = UInt32(clamping: max(1, header.frameCount ?? 1))
        loop_count = Int32(clamping: header.loopCount ?? -1)
        flags =
            (header.hasAlpha ? UInt32(PI_INFO_HAS_ALPHA) : 0)
            | (header.isProgressive ? UInt32(PI_INFO_IS_PROGRESSIVE) : 0)
    }
}

extension ImageHeader.ColorModel {
    fileprivate var interfaceValue: Int {
        switch self {
        case .gray: PI_COLOR_GRAY
        case .rgb: PI_COLOR_RGB
        case .indexed: PI_COLOR_INDEXED
        case .ycbcr: PI_COLOR_YCBCR
        case .cmyk: PI_COLOR_CMYK
        case .lab: PI_COLOR_LAB
        case .logLuv: PI_COLOR_LOGLUV
        }
    }
}
