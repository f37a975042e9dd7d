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
        try backend(bytes, as: contentType, cancellation).header(bytes)
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
        try backend(bytes, as: contentType, cancellation).images(.decode, bytes).first()
    }

    /// The embedded ICC profile, uncompressed; nil when there is none or it is damaged.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func iccProfile(of bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? {
        try backend(bytes).iccProfile(bytes)
    }

    /// The EXIF data; nil when the file has no EXIF block or the block cannot be parsed. ``EXIF/thumbnailRange`` is
    /// relative to the start of ``ImageHeader/exifRange``.
    ///
    /// Of a TIFF, the data of ``metadata(of:as:)-(Span<UInt8>,_)``: the tags that describe the page, and its Exif and
    /// GPS IFDs, without orientation and thumbnail.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func exif(of bytes: Span<UInt8>) throws(DecodeError) -> EXIF? {
        let header = try backend(bytes).shortHeader(bytes)
        if header.format == .tiff { return try metadata(of: bytes).exif.flatMap { EXIF($0) } }
        return header.exifRange.flatMap { EXIF(bytes.extracting($0)) }
    }
}

extension ImageDecoder {
    /// Reads the header of a file in an array, as the method that takes a span does.
    public func header(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try backend(bytes.span, as: contentType, cancellation, retaining: bytes).header(bytes.span)
    }

    /// The embedded ICC profile of a file in an array, uncompressed; nil when there is none or it is damaged.
    public func iccProfile(of bytes: [UInt8]) throws(DecodeError) -> [UInt8]? { try iccProfile(of: bytes.span) }

    /// The EXIF data of a file in an array; nil when the file has no EXIF block or the block cannot be parsed.
    public func exif(of bytes: [UInt8]) throws(DecodeError) -> EXIF? { try exif(of: bytes.span) }

    /// Decodes an image from an array, as the method that takes a span does.
    public func decode(
        _ bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try backend(bytes.span, as: contentType, cancellation, retaining: bytes).images(.decode, bytes.span).first()
    }

    /// The name and version of the C library that decodes the format, such as `libpng 1.6.39`; `own` for BMP, which is
    /// decoded without a C library.
    public static func libraryVersion(of format: ImageFormat) -> String {
        format == .bmp ? "own" : CodecCall.libraryVersion(of: format)
    }
}
