/// The place where an ``ImageDecoder`` decodes each format: in the calling process, or in sandboxed worker processes.
///
/// The pixels, headers and statuses are equal. In worker processes, a memory error in a codec ends a worker instead of
/// the program, and cannot reach its memory, files or network.
public struct DecodeIsolation: Sendable {
    /// The worker processes; nil when all formats are decoded in the calling process.
    public let workers: DecodeWorkers?
    /// The formats that the workers decode.
    public let formats: Set<ImageFormat>

    /// Decodes all formats in the calling process.
    public static var inProcess: Self { Self(workers: nil, formats: []) }

    /// Decodes `formats` in worker processes, and the other formats in the calling process.
    public init(_ workers: DecodeWorkers, formats: Set<ImageFormat> = Set(ImageFormat.allCases)) {
        self.init(workers: workers, formats: formats)
    }

    private init(workers: DecodeWorkers?, formats: Set<ImageFormat>) {
        self.workers = workers
        self.formats = formats
    }
}

extension ImageDecoder {
    /// The place where the bytes of a file are decoded.
    ///
    /// That is this process also when the format is not known, so that no codec reads the bytes.
    ///
    /// - Parameter array: The array that contains `bytes`; nil for none. While a worker still has the bytes of the same
    ///   array, they are not copied again.
    func backend(
        _ bytes: Span<UInt8>, as contentType: ContentType? = nil, _ flag: CancellationFlag? = nil,
        retaining array: [UInt8]? = nil
    ) -> any DecodeBackend {
        if let workers = isolation.workers, let format = format(of: bytes, as: contentType),
            isolation.formats.contains(format)
        {
            return IsolatedDecoder(
                workers: workers, options: options, format: format,
                contentType: contentType ?? options.declaredContentType, flag: flag,
                input: array.map { RetainedInput($0) })
        }
        return LocalDecoder(options: options, contentType: contentType, flag: flag, transforms: transforms)
    }

    /// Calls `body` with the bytes of a source, and the place where they are decoded.
    func open<Result>(
        _ source: some ImageSourceConvertible, as contentType: ContentType?, _ flag: CancellationFlag?,
        _ body: (Span<UInt8>, any DecodeBackend) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        try source.imageSource.withBytes(options.limits, flag) { (bytes, open) throws(DecodeError) in
            let contentType = open.declaredType(contentType, bytes)
            return try body(bytes, backend(bytes, as: contentType, flag, retaining: open.array))
        }
    }

    /// Reads the header; the returned value makes the images after their memory is reserved.
    func work(
        _ operation: ImageOperation, _ bytes: Span<UInt8>, as contentType: ContentType? = nil,
        _ flag: CancellationFlag?
    ) throws(DecodeError) -> PreparedWork {
        try backend(bytes, as: contentType, flag).work(operation, bytes)
    }

    /// The format of the signature, or else of the declared type; nil for none, and for one that this build refuses.
    private func format(of bytes: Span<UInt8>, as contentType: ContentType?) -> ImageFormat? {
        switch ImageSignature(of: bytes) {
        case .decodable(let detected): detected
        case .refused: nil
        case .unknown: (contentType ?? options.declaredContentType).flatMap(ImageFormat.init)
        }
    }
}
