import PlatformImage
import PlatformImageToolSupport

/// Decoding, scaling and encoding options that `thumb` applies to every input.
struct ThumbRecipe: Sendable {
    /// Selected frames of an animation, or page of a TIFF.
    enum Frames: Hashable, Sendable {
        /// The default image, which in an APNG need not be frame 0.
        case first
        case one(Int)
        /// All frames, written as an animation: an APNG, or an animated WebP or GIF.
        case all
    }

    var options: ThumbnailOptions
    var frames = Frames.first
    /// Output format; `nil` selects it by the source (``format(for:)``).
    var format: EncodedFormat?
    var encoding = EncodeOptions()
    /// Requested colour space; `nil` selects that of the metadata policy.
    var profile: ProfilePolicy?
    /// Shared by all inputs, so that its colour transforms are cached.
    var decoder = ImageDecoder()

    /// Output format for a source: ``format`` if it is set. Otherwise JPEG for JPEG and WebP without alpha, and PNG for
    /// all others; with all frames of an animation, the format of the source.
    func format(for source: ImageHeader) -> EncodedFormat {
        if let format { return format }
        let isAnimated = frames == .all && source.frameCount ?? 1 > 1
        switch source.format {
        case .jpeg: return .jpeg
        case .gif: return isAnimated ? .gif : .png
        case .webp:
            if isAnimated, EncodedFormat.webp.isAvailable { return .webp }
            return source.hasAlpha ? .png : .jpeg
        default: return .png
        }
    }

    /// Reason why no thumbnail can be made with ``format``; `nil` when there is none.
    var formatProblem: String? {
        if frames == .all, format == .jpeg {
            return "frame all requires the format png, webp or gif: a JPEG has one frame"
        }
        if let format, !format.isAvailable { return "this build does not write \(format.rawValue)" }
        return nil
    }

    /// Decodes, scales and encodes one input.
    ///
    /// - Throws: ``Failure`` or ``DecodeError``.
    func makeThumbnail(_ bytes: [UInt8], cancellation: CancellationFlag? = nil) throws -> Thumb {
        try addingProfile(of: bytes).encodedThumbnail(bytes, cancellation)
    }

    private func encodedThumbnail(_ bytes: [UInt8], _ cancellation: CancellationFlag?) throws -> Thumb {
        if frames == .all, ImageFormat(signatureOf: bytes.span)?.isAnimatable == true {
            return try animation(bytes, cancellation)
        }
        let (bitmap, header, status) = try still(bytes, cancellation)
        let format = format(for: header)
        let encoder = try encoder(for: bytes, width: bitmap.width, height: bitmap.height, cancellation)
        let file = try convertingEncodeError { () throws(EncodeError) in
            try encoder.encode(bitmap, as: format, cancellation: cancellation)
        }
        return Thumb(
            file: file, format: format, width: bitmap.width, height: bitmap.height, header: header, status: status)
    }

    private func still(
        _ bytes: [UInt8], _ cancellation: CancellationFlag?
    ) throws -> (bitmap: Bitmap, header: ImageHeader, status: DecodeStatus) {
        var decoder = decoder
        if case .one(let frame) = frames {
            guard ImageFormat(signatureOf: bytes.span) == .tiff else {
                let image = try SelectedImage(bytes, frame: frame, decoder: decoder, cancellation: cancellation)
                let header = try decoder.header(of: bytes, cancellation: cancellation)
                let small = try image.bitmap.thumbnail(options: options, limits: decoder.options.limits)
                return (small, header, image.status)
            }
            let count = try decoder.header(of: bytes, cancellation: cancellation).frameCount
            if let count, frame >= count { throw Failure.noSuchFrame(frame, of: count) }
            decoder.options.page = frame
        }
        let image = try decoder.thumbnail(of: bytes, options: options, cancellation: cancellation)
        return (image.bitmap, image.header, image.status)
    }

    private func animation(_ bytes: [UInt8], _ cancellation: CancellationFlag?) throws -> Thumb {
        let header = try decoder.header(of: bytes, cancellation: cancellation)
        let (frames, status) = try decoder.thumbnails(
            ofFramesIn: bytes, options: options, cancellation: cancellation)
        guard let first = frames.first else { throw Failure.noSuchFrame(0, of: 0) }
        let encoder = try encoder(
            for: bytes, width: first.bitmap.width, height: first.bitmap.height, cancellation)
        let format = format(for: header)
        let file = try convertingEncodeError { () throws(EncodeError) in
            frames.count == 1
                ? try encoder.encode(first.bitmap, as: format, cancellation: cancellation)
                : try encoder.encodeAnimation(
                    frames, as: format, loopCount: header.loopCount ?? 1, cancellation: cancellation)
        }
        return Thumb(
            file: file, format: format, width: first.bitmap.width, height: first.bitmap.height, header: header,
            status: status)
    }
}

/// An encoded thumbnail and facts about its source.
struct Thumb: Sendable {
    let file: [UInt8]
    let format: EncodedFormat
    /// Width in pixels.
    let width: Int
    let height: Int
    /// Header of the source file.
    let header: ImageHeader
    let status: DecodeStatus
}
