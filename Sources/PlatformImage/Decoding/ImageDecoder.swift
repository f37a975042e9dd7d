/// Bytes in, bitmap out.
///
/// A decoder holds its options and the colour transforms of the last profiles it met; it may be used from any number
/// of threads at once. Its calls block until done: on a server give them to a ``DecodeQueue``.
public struct ImageDecoder: Sendable {
    /// Limits, strictness, and what is done to the pixels. Changing them keeps the remembered transforms.
    public var options: DecodeOptions
    let transforms = ColorTransformCache()

    /// A decoder that remembers no transforms yet; copies share what they remember.
    public init(options: DecodeOptions = DecodeOptions()) {
        self.options = options
    }

    /// What the file says about its picture; no pixels are decoded, frames and pages are counted.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - contentType: What the sender declared; nil or `application/octet-stream` for nothing.
    ///   - cancellation: Ends the counting of frames and pages when raised.
    /// - Throws: `unknownFormat`, `unsupported`, `limitExceeded`, `malformed` or `truncated` when there is no usable
    ///   header; `cancelled`.
    public func header(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        var source = try SourceImage(
            bytes, declared: contentType, options: options, flag: cancellation, countsFrames: true)
        if let profile = try source.iccProfile(in: bytes) {
            source.header.iccProfileDescription = ColorProfile.description(of: profile)
        }
        return source.header
    }

    /// The picture: frame 0 of an animation, the page of ``DecodeOptions/page`` of a TIFF.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - contentType: What the sender declared; nil or `application/octet-stream` for nothing. The signature decides;
    ///     a declared type counts only where it agrees or no signature matches.
    ///   - cancellation: Ends the decode at its next row batch when raised.
    /// - Throws: A ``DecodeError`` of any code when there is nothing to show; with lenient options damaged data gives
    ///   a picture and a ``DecodedImage/status``.
    public func decode(
        _ bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try decode(prepare(bytes, as: contentType, cancellation: cancellation), bytes)
    }

    /// The first half of a decode: all that the header tells, nothing allocated.
    func prepare(
        _ bytes: Span<UInt8>, as contentType: ContentType?, cancellation: CancellationFlag?
    ) throws(DecodeError) -> PreparedDecode {
        func prepared(_ options: DecodeOptions) throws(DecodeError) -> PreparedDecode {
            let source = try SourceImage(bytes, declared: contentType, options: options, flag: cancellation)
            return PreparedDecode(
                source: source, orientation: options.appliesOrientation ? source.header.orientation : .up)
        }
        let quickest = try prepared(options)
        guard let budget = options.budgetBytes, quickest.byteCount > budget, quickest.source.header.format == .png
        else {
            return quickest
        }
        var options = options
        options.usesLeastMemory = true
        return try prepared(options)
    }

    /// The second half, over the same bytes.
    func decode(_ prepared: PreparedDecode, _ bytes: Span<UInt8>) throws(DecodeError) -> DecodedImage {
        var source = prepared.source
        let (width, height) = (prepared.width, prepared.height)
        let transform = try source.transform(in: bytes, cache: transforms)
        guard let storage = PixelStorage(byteCount: width * height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, format: source.header.format, "no memory for \(width) x \(height) pixels")
        }
        try source.decode(
            bytes, into: storage, width: width, height: height, orientation: prepared.orientation, transform)
        try source.damage.settle(options.strictness, format: source.header.format)
        source.header.warnings = source.damage.warnings
        return DecodedImage(
            bitmap: Bitmap(width: width, height: height, storage: storage), header: source.header,
            status: source.damage.status)
    }

    /// The embedded ICC profile, uncompressed; nil when there is none or it is damaged.
    ///
    /// - Throws: What `header(of:)` throws.
    public func iccProfile(of bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? {
        try SourceImage(bytes, declared: nil, options: options).iccProfile(in: bytes)
    }

    /// The EXIF facts; nil when the file has no EXIF block or it does not parse. The range of a thumbnail counts from
    /// the start of ``ImageHeader/exifRange``.
    ///
    /// - Throws: What `header(of:)` throws.
    public func exif(of bytes: Span<UInt8>) throws(DecodeError) -> EXIF? {
        let source = try SourceImage(bytes, declared: nil, options: options)
        return source.header.exifRange.flatMap { EXIF(bytes.extracting($0)) }
    }
}

extension ImageDecoder {
    /// What the file says about its picture, from an array; the same as for a span.
    public func header(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try header(of: bytes.span, as: contentType, cancellation: cancellation)
    }

    /// The embedded ICC profile, uncompressed, from an array; the same as for a span.
    public func iccProfile(of bytes: [UInt8]) throws(DecodeError) -> [UInt8]? { try iccProfile(of: bytes.span) }

    /// The EXIF facts, from an array; the same as for a span.
    public func exif(of bytes: [UInt8]) throws(DecodeError) -> EXIF? { try exif(of: bytes.span) }

    /// The picture, from an array; the same as for a span.
    public func decode(
        _ bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try decode(bytes.span, as: contentType, cancellation: cancellation)
    }

    /// The C library behind a format and its version, such as `libpng 1.6.39`; BMP has none.
    public static func libraryVersion(of format: ImageFormat) -> String {
        format == .bmp ? "own" : CodecCall.libraryVersion(of: format)
    }
}

/// A decoded picture and how much of it is true.
public struct DecodedImage: Sendable {
    /// The pixels, of the size after scaling and turning.
    public let bitmap: PlatformImage
    /// What the file says, warnings of the whole decode included. Frames are counted only where that is free.
    public let header: ImageHeader
    /// Complete, truncated or corrupt.
    public let status: DecodeStatus
}

/// A decode whose header has been read: what it will allocate is known, and nothing is allocated.
struct PreparedDecode: Sendable {
    let source: SourceImage
    let orientation: Orientation
    /// Pixels after scaling and turning.
    let width: Int
    let height: Int

    init(source: SourceImage, orientation: Orientation) {
        self.source = source
        self.orientation = orientation
        (width, height) = source.pixelSize(turnedBy: orientation)
    }

    /// What is mapped for the pixels, and upper estimates of the memory for codec and colour profile; at least 1.
    var byteCount: Int {
        let pixels = PixelStorage.allocatedByteCount(width * height * 4)
        let (sum, overflows) = pixels.addingReportingOverflow(source.header.workByteCount)
        let (total, overflowsToo) = sum.addingReportingOverflow(source.profileByteCount)
        return overflows || overflowsToo ? .max : total
    }
}

extension ImageHeader {
    /// What a file would say that has this bitmap and nothing else in it, as a PNG of eight bits a channel with alpha.
    package init(of bitmap: Bitmap) {
        self.init(
            format: .png, width: bitmap.width, height: bitmap.height, bitsPerChannel: 8, channelCount: 4,
            colorModel: .rgb, hasAlpha: true, frameCount: 1)
    }
}

extension DecodedImage {
    /// A bitmap that comes from no file.
    package init(_ bitmap: Bitmap) { self.init(bitmap: bitmap, header: ImageHeader(of: bitmap), status: .complete) }
}
