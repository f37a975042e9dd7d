/// Decodes images from bytes in memory.
///
/// A decoder contains its options and a cache of colour transforms; any number of threads may use it concurrently. Each
/// call blocks the calling thread until the decode is done; a server should use a ``DecodeQueue``.
public struct ImageDecoder: Sendable {
    /// Limits, strictness and pixel processing. A change does not discard the cached transforms.
    public var options: DecodeOptions
    /// The processes that decode: by default the calling process for all formats.
    public var isolation = DecodeIsolation.inProcess
    let transforms = ColorTransformCache()

    /// Creates a decoder with an empty transform cache; copies share the cache.
    public init(options: DecodeOptions = DecodeOptions()) {
        self.options = options
    }

    /// Reads the header of a file and counts its frames or pages, without decoding pixels.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the counting of frames and pages when raised.
    /// - Throws: `unknownFormat`, `unsupported`, `limitExceeded`, `malformed` or `truncated` when there is no usable
    ///   header; `contentTypeMismatch` with ``DecodeOptions/requiresMatchingContentType``; `invalidArgument` when an
    ///   option is out of its range; `outOfMemory`, `cancelled`.
    public func header(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        if let isolated = isolated(bytes, as: contentType, cancellation) { return try isolated.header(bytes) }
        var source = try SourceImage(
            bytes, declared: contentType, options: options, flag: cancellation, countsFrames: true)
        if let profile = try source.iccProfile(in: bytes) {
            source.header.iccProfileDescription = ColorProfile.description(of: profile)
        }
        if source.header.format == .tiff, let count = source.header.frameCount {
            source.header.pages = try source.call.pages(in: bytes, count: count)
        }
        return source.header
    }

    /// Decodes an image: frame 0 of an animation, page ``DecodeOptions/page`` of a TIFF.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none. The signature
    ///     decides; the declared type is used only when no signature matches.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: A ``DecodeError`` of any code when no pixels could be decoded, or when the damage reaches
    ///   ``DecodeOptions/strictness``. Less severe damage is reported in ``DecodedImage/status``.
    public func decode(
        _ bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        if let isolated = isolated(bytes, as: contentType, cancellation) {
            return try isolated.images(.decode, bytes).first()
        }
        return try decode(prepare(bytes, as: contentType, cancellation: cancellation), bytes)
    }

    /// The first step of a decode: reads the header and computes sizes, without allocating pixels.
    func prepare(
        _ bytes: Span<UInt8>, as contentType: ContentType?, cancellation: CancellationFlag?
    ) throws(DecodeError) -> PreparedDecode {
        func prepared(_ options: DecodeOptions) throws(DecodeError) -> PreparedDecode {
            let source = try SourceImage(bytes, declared: contentType, options: options, flag: cancellation)
            return PreparedDecode(
                source: source, orientation: options.appliesOrientation ? source.header.orientation : .up)
        }
        let fastest = try prepared(options)
        guard let budget = options.budgetBytes, fastest.byteCount > budget, fastest.source.header.format == .png
        else {
            return fastest
        }
        var options = options
        options.usesLeastMemory = true
        return try prepared(options)
    }

    /// The second step of a decode: decodes the pixels. `bytes` must be the bytes passed to the first step.
    func decode(_ prepared: PreparedDecode, _ bytes: Span<UInt8>) throws(DecodeError) -> DecodedImage {
        var source = prepared.source
        let (width, height) = (prepared.width, prepared.height)
        let transform = try source.transform(in: bytes, cache: transforms)
        guard let storage = PixelStorage(byteCount: width * height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, format: source.header.format, "out of memory: \(width) x \(height) pixels")
        }
        try source.decode(
            bytes, into: storage, width: width, height: height, orientation: prepared.orientation, transform)
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        source.header.warnings = source.damage.warnings
        return DecodedImage(
            bitmap: Bitmap(width: width, height: height, storage: storage), header: source.header,
            status: source.damage.status)
    }

    /// The embedded ICC profile, uncompressed; nil when there is none or it is damaged.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func iccProfile(of bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? {
        if let isolated = isolated(bytes, as: nil, nil) { return try isolated.iccProfile(bytes) }
        return try SourceImage(bytes, declared: nil, options: options).iccProfile(in: bytes)
    }

    /// The EXIF data; nil when the file has no EXIF block or the block cannot be parsed. ``EXIF/thumbnailRange`` is
    /// relative to the start of ``ImageHeader/exifRange``.
    ///
    /// Of a TIFF, the data of ``metadata(of:as:)-(Span<UInt8>,_)``: the tags that describe the page, and its Exif and
    /// GPS IFDs, without orientation and thumbnail.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func exif(of bytes: Span<UInt8>) throws(DecodeError) -> EXIF? {
        let header =
            if let isolated = isolated(bytes, as: nil, nil) {
                try isolated.header(bytes)
            } else {
                try SourceImage(bytes, declared: nil, options: options).header
            }
        if header.format == .tiff { return try metadata(of: bytes).exif.flatMap { EXIF($0) } }
        return header.exifRange.flatMap { EXIF(bytes.extracting($0)) }
    }
}

extension ImageDecoder {
    /// Reads the header of a file in an array, as the method that takes a span does.
    public func header(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        if let isolated = isolated(bytes.span, as: contentType, cancellation, retaining: bytes) {
            return try isolated.header(bytes.span)
        }
        return try header(of: bytes.span, as: contentType, cancellation: cancellation)
    }

    /// The embedded ICC profile of a file in an array, uncompressed; nil when there is none or it is damaged.
    public func iccProfile(of bytes: [UInt8]) throws(DecodeError) -> [UInt8]? { try iccProfile(of: bytes.span) }

    /// The EXIF data of a file in an array; nil when the file has no EXIF block or the block cannot be parsed.
    public func exif(of bytes: [UInt8]) throws(DecodeError) -> EXIF? { try exif(of: bytes.span) }

    /// Decodes an image from an array, as the method that takes a span does.
    public func decode(
        _ bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        if let isolated = isolated(bytes.span, as: contentType, cancellation, retaining: bytes) {
            return try isolated.images(.decode, bytes.span).first()
        }
        return try decode(bytes.span, as: contentType, cancellation: cancellation)
    }

    /// The name and version of the C library that decodes the format, such as `libpng 1.6.39`; `own` for BMP, which is
    /// decoded without a C library.
    public static func libraryVersion(of format: ImageFormat) -> String {
        format == .bmp ? "own" : CodecCall.libraryVersion(of: format)
    }
}

/// A decoded image with its header and status.
public struct DecodedImage: Sendable {
    /// The pixels, after scaling and orientation.
    public let bitmap: PlatformImage
    /// The file's header, with the warnings of the complete decode. ``ImageHeader/frameCount`` is nil when counting
    /// would require an additional read of the file.
    public let header: ImageHeader
    /// Complete, truncated or corrupt.
    public let status: DecodeStatus
}

/// A decode after its header was read: the sizes of its allocations are computed, but no pixels are allocated.
struct PreparedDecode: Sendable {
    let source: SourceImage
    let orientation: Orientation
    /// Width in pixels after scaling and orientation.
    let width: Int
    let height: Int

    init(source: SourceImage, orientation: Orientation) {
        self.source = source
        self.orientation = orientation
        (width, height) = source.pixelSize(orientedBy: orientation)
    }

    /// Bytes allocated for the pixels plus upper estimates for the codec and the colour profile; at least 1.
    var byteCount: Int {
        let pixels = PixelStorage.allocatedByteCount(width * height * 4)
        let (sum, overflows) = pixels.addingReportingOverflow(source.header.workByteCount)
        let (total, totalOverflows) = sum.addingReportingOverflow(source.profileByteCount)
        return overflows || totalOverflows ? .max : total
    }
}

extension ImageHeader {
    /// The header of an 8-bit RGBA PNG that contains this bitmap and no metadata.
    package init(of bitmap: Bitmap) {
        self.init(
            format: .png, width: bitmap.width, height: bitmap.height, bitsPerChannel: 8, channelCount: 4,
            colorModel: .rgb, hasAlpha: true, frameCount: 1)
    }
}

extension DecodedImage {
    /// Wraps a bitmap that was not decoded from a file; the header describes an RGBA PNG, and the status is complete.
    package init(_ bitmap: Bitmap) { self.init(bitmap, header: ImageHeader(of: bitmap)) }

    /// An image that was complete when a bitmap was made from it.
    package init(_ bitmap: Bitmap, header: ImageHeader) {
        self.init(bitmap: bitmap, header: header, status: .complete)
    }

    /// The same header and status with other pixels.
    package func replacing(_ bitmap: Bitmap) -> Self { Self(bitmap: bitmap, header: header, status: status) }
}
