import PlatformImage
import PlatformImageToolSupport

/// One image of a file: the default image, a composed frame of an animation, or a page.
struct SelectedImage {
    let bitmap: Bitmap
    let status: DecodeStatus
    let header: ImageHeader

    /// Decodes one image of a file.
    ///
    /// - Parameter frame: Index of the frame or page, from 0; `nil` for the default image, which in an APNG need not be
    ///   frame 0.
    /// - Throws: ``DecodeError``, or ``Failure`` when the file has no such frame.
    init(_ bytes: [UInt8], frame: Int?, decoder: ImageDecoder, cancellation: CancellationFlag? = nil) throws {
        guard let frame else {
            let image = try decoder.decode(bytes, cancellation: cancellation)
            self.init(bitmap: image.bitmap, status: image.status, header: image.header)
            return
        }
        if ImageFormat(signatureOf: bytes.span) == .tiff {
            self = try Self.page(frame, of: bytes, decoder, cancellation)
        } else {
            self = try Self.frame(frame, of: bytes, decoder, cancellation)
        }
    }

    private init(bitmap: Bitmap, status: DecodeStatus, header: ImageHeader) {
        self.bitmap = bitmap
        self.status = status
        self.header = header
    }

    /// Warnings that are not defects; they do not make the decode status `corrupt`.
    var minorWarnings: [DecodeWarning] { header.warnings.filter { !$0.isDefect } }

    private static func page(
        _ index: Int, of bytes: [UInt8], _ decoder: ImageDecoder, _ cancellation: CancellationFlag?
    ) throws -> Self {
        let count = try decoder.header(of: bytes, cancellation: cancellation).frameCount
        if let count, index >= count { throw Failure.noSuchFrame(index, of: count) }
        var decoder = decoder
        decoder.options.page = index
        let image = try decoder.decode(bytes, cancellation: cancellation)
        return Self(bitmap: image.bitmap, status: image.status, header: image.header)
    }

    private static func frame(
        _ index: Int, of bytes: [UInt8], _ decoder: ImageDecoder, _ cancellation: CancellationFlag?
    ) throws -> Self {
        let frames = try decoder.frames(of: bytes, cancellation: cancellation)
        for number in 0...index {
            guard try frames.advance() != nil else { throw Failure.noSuchFrame(index, of: number) }
        }
        return Self(bitmap: try frames.composed(), status: frames.status, header: frames.header)
    }
}
