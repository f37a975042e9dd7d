/// Decodes images from bytes in memory, or from files.
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
    ///   - source: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the counting of frames and pages when raised.
    /// - Throws: `unknownFormat`, `unsupported`, `limitExceeded`, `malformed` or `truncated` when there is no usable
    ///   header; `contentTypeMismatch` with ``DecodeOptions/requiresMatchingContentType``; `invalidArgument` when an
    ///   option is out of its range; `fileUnreadable`, `outOfMemory`, `cancelled`.
    public func header(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.header(bytes)
        }
    }

    /// Reads the header of a file in borrowed bytes, as ``header(of:as:cancellation:)`` does.
    public func header(
        borrowing bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try backend(bytes, as: contentType, cancellation).header(bytes)
    }

    /// Decodes an image: frame 0 of an animation, page ``DecodeOptions/page`` of a TIFF.
    ///
    /// - Parameters:
    ///   - source: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none. The signature
    ///     decides; the declared type is used only when no signature matches.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: A ``DecodeError`` of any code when no pixels could be decoded, or when the damage reaches
    ///   ``DecodeOptions/strictness``. Less severe damage is reported in ``DecodedImage/status``.
    public func decode(
        _ source: some ImageSourceConvertible, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.images(.decode, bytes).first()
        }
    }

    /// Decodes an image from borrowed bytes, as ``decode(_:as:cancellation:)`` does.
    public func decode(
        borrowing bytes: Span<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try backend(bytes, as: contentType, cancellation).images(.decode, bytes).first()
    }

    /// The name and version of the C library that decodes the format, such as `libpng 1.6.39`; `own` for BMP, which is
    /// decoded without a C library.
    public static func libraryVersion(of format: ImageFormat) -> String {
        format == .bmp ? "own" : CodecCall.libraryVersion(of: format)
    }
}
