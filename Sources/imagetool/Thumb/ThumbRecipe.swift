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
    /// Text of `--size` without its suffix, for the file name; `nil` for the whole image.
    var sizeText: String?
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
        guard let first = try Self.makeThumbnails([self], bytes, cancellation: cancellation).first else {
            throw Failure(.software, "internal: no thumbnail was made")
        }
        return try first.get()
    }

    /// Decodes one input once, and scales and encodes it for each recipe.
    ///
    /// - Parameter recipes: Recipes that differ only in their size.
    /// - Returns: A thumbnail or the failure of its encoder for each recipe, in their order.
    /// - Throws: ``Failure`` or ``DecodeError`` when the input cannot be decoded.
    static func makeThumbnails(
        _ recipes: [ThumbRecipe], _ bytes: [UInt8], cancellation: CancellationFlag? = nil
    ) throws -> [Result<Thumb, Failure>] {
        guard let recipe = try recipes.first?.addingProfile(of: bytes) else { return [] }
        let keepsProfile = recipe.encoding.iccProfile != nil
        let sizes = recipes.map { other in
            var options = other.options
            if keepsProfile { options.usesEmbeddedThumbnail = false }
            return options
        }
        if recipe.frames == .all, ImageFormat(signatureOf: bytes.span)?.isAnimatable == true {
            return try recipe.animations(bytes, sizes, cancellation)
        }
        let (bitmaps, header, status) = try recipe.stills(bytes, sizes, cancellation)
        let format = recipe.format(for: header)
        return try bitmaps.map { bitmap in
            let encoder = try recipe.encoder(
                for: bytes, header, width: bitmap.width, height: bitmap.height, cancellation)
            return try recipe.encoded(bitmap, format, header, status) { () throws(EncodeError) in
                try encoder.encode(bitmap, as: format, cancellation: cancellation)
            }
        }
    }

    /// The result of an encoder; an error is the failure of one size.
    private func encoded(
        _ bitmap: Bitmap, _ format: EncodedFormat, _ header: ImageHeader, _ status: DecodeStatus,
        _ encode: () throws(EncodeError) -> [UInt8]
    ) throws -> Result<Thumb, Failure> {
        do throws(Failure) {
            let file = try convertingEncodeError(encode)
            return .success(
                Thumb(
                    file: file, format: format, width: bitmap.width, height: bitmap.height, header: header,
                    status: status))
        } catch {
            return .failure(error)
        }
    }

    private func stills(
        _ bytes: [UInt8], _ sizes: [ThumbnailOptions], _ cancellation: CancellationFlag?
    ) throws -> (bitmaps: [Bitmap], header: ImageHeader, status: DecodeStatus) {
        var decoder = decoder
        if case .one(let frame) = frames {
            guard ImageFormat(signatureOf: bytes.span) == .tiff else {
                let image = try SelectedImage(bytes, frame: frame, decoder: decoder, cancellation: cancellation)
                let header = try decoder.header(of: bytes, cancellation: cancellation)
                let small = try sizes.map { try image.bitmap.thumbnail(options: $0, limits: decoder.options.limits) }
                return (small, header, image.status)
            }
            let count = try decoder.header(of: bytes, cancellation: cancellation).frameCount
            if let count, frame >= count { throw Failure.noSuchFrame(frame, of: count) }
            decoder.options.page = frame
        }
        let images =
            sizes.count == 1
            ? [try decoder.thumbnail(of: bytes, options: sizes[0], cancellation: cancellation)]
            : try decoder.thumbnails(of: bytes, options: sizes, cancellation: cancellation)
        return (images.map(\.bitmap), images[0].header, images[0].status)
    }

    private func animations(
        _ bytes: [UInt8], _ sizes: [ThumbnailOptions], _ cancellation: CancellationFlag?
    ) throws -> [Result<Thumb, Failure>] {
        let header = try decoder.header(of: bytes, cancellation: cancellation)
        let format = format(for: header)
        let (animations, status) = try frames(bytes, sizes, cancellation)
        return try animations.map { frames in
            guard let first = frames.first else { throw Failure.noSuchFrame(0, of: 0) }
            let encoder = try encoder(
                for: bytes, header, width: first.bitmap.width, height: first.bitmap.height, cancellation)
            return try encoded(first.bitmap, format, header, status) { () throws(EncodeError) in
                frames.count == 1
                    ? try encoder.encode(first.bitmap, as: format, cancellation: cancellation)
                    : try encoder.encodeAnimation(
                        frames, as: format, loopCount: header.loopCount ?? 1, cancellation: cancellation)
            }
        }
    }

    /// Composes each frame once and scales it to all sizes. The bytes of all returned frames count for the limit
    /// `maxMemory`, as in the method `thumbnails(ofFramesIn:)` of the decoder.
    private func frames(
        _ bytes: [UInt8], _ sizes: [ThumbnailOptions], _ cancellation: CancellationFlag?
    ) throws -> (animations: [[AnimationFrame]], status: DecodeStatus) {
        if sizes.count == 1 {
            let one = try decoder.thumbnails(ofFramesIn: bytes, options: sizes[0], cancellation: cancellation)
            return ([one.frames], one.status)
        }
        let frames = try decoder.frames(of: bytes, cancellation: cancellation)
        let limits = decoder.options.limits
        var animations = [[AnimationFrame]](repeating: [], count: sizes.count)
        var byteCount = 0
        while let frame = try frames.next() {
            for (index, options) in sizes.enumerated() {
                let small = try frame.bitmap.thumbnail(options: options, limits: limits, cancellation: cancellation)
                byteCount += small.byteCount
                if let limit = limits.maxMemory, byteCount > limit {
                    throw Failure(
                        .refused, "limitExceeded(maxMemory): the frames in all sizes exceed \(limit) bytes")
                }
                animations[index].append(
                    AnimationFrame(small, delay: frame.info.delay, index: animations[index].count))
            }
        }
        return (animations, frames.status)
    }

    /// Format and size of the file that ``makeThumbnail(_:cancellation:)`` would make, from the header alone.
    ///
    /// - Returns: The header of the selected image; the size is `nil` when the crop has no pixel in the image.
    /// - Throws: ``Failure`` or ``DecodeError``.
    func planned(
        _ bytes: [UInt8]
    ) throws -> (header: ImageHeader, format: EncodedFormat, size: (width: Int, height: Int)?) {
        var header = try decoder.header(of: bytes)
        if case .one(let frame) = frames {
            if let count = header.frameCount, frame >= count { throw Failure.noSuchFrame(frame, of: count) }
            if header.format == .tiff { header = try metadataReader(bytes).header(of: bytes) }
        }
        let isTurned = decoder.options.appliesOrientation
        let (width, height) = isTurned ? (header.displayWidth, header.displayHeight) : (header.width, header.height)
        return (header, format(for: header), options.size(ofWidth: width, height: height))
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
