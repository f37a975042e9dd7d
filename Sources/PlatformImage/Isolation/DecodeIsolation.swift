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
    /// The decoder that runs in a worker; nil when the bytes are to be decoded in this process, or when their format is
    /// not known, so that no codec reads them.
    ///
    /// - Parameter array: The array that contains `bytes`; nil for none. While a worker still has the bytes of the same
    ///   array, they are not copied again.
    func isolated(
        _ bytes: Span<UInt8>, as contentType: ContentType?, _ flag: CancellationFlag?, retaining array: [UInt8]? = nil
    ) -> IsolatedDecoder? {
        guard let workers = isolation.workers else { return nil }
        let contentType = contentType ?? options.declaredContentType
        let format: ImageFormat?
        switch ImageSignature(of: bytes) {
        case .decodable(let detected): format = detected
        case .refused: format = nil
        case .unknown: format = contentType.flatMap(ImageFormat.init)
        }
        guard let format, isolation.formats.contains(format) else { return nil }
        return IsolatedDecoder(
            workers: workers, options: options, format: format, contentType: contentType, flag: flag,
            input: array.map { RetainedInput($0) })
    }
}
