import PlatformImage
import PlatformImageToolSupport

/// The options of `thumb` that describe the thumbnail; `imagetool worker` has the same options in its requests.
struct ThumbOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "Size of the thumbnail in pixels: WxH, Wx, xH or N, with an optional suffix >, ! or ^.") var size: String

    @Option(help: "Fit of the image to the box: contain, cover, fill or scaleDown.", transform: parseChoice) var fit:
        ThumbnailFit?
    @Option(
        help: "Crop position of --fit cover: center, north, southeast, ..., or a focal point X,Y from 0,0 to 1,1.")
    var gravity = "center"
    @Option(help: "Part of the image to use, WxH+X+Y in pixels of the upright (with --no-rotate: the stored) image.")
    var crop: String?
    @Option(help: "Resampling filter: nearest, box, triangle, mitchell or lanczos3.", transform: parseChoice)
    var filter = ResampleFilter.lanczos3
    @Flag(help: "Resample in linear light instead of sRGB values.") var linear = false
    @Flag(help: "Enlarge images that are smaller than the box.") var enlarge = false
    @Flag(help: "Pad the image to the box with the background colour.") var pad = false
    @Option(help: "Background colour: white, black, #rrggbb or #rrggbbaa.") var background: String?
    @Flag(help: "Do not apply the orientation.") var noRotate = false
    @Option(
        help: """
            Index of the frame of an animation or of the page of a TIFF, from 0; all creates an animation of all \
            frames, as APNG, WebP or GIF.
            """)
    var frame: String?
    @Flag(help: "Use the thumbnail that the camera embedded in the file, if it is large enough.") var embedded = false
    @Option(help: "Decoding accuracy of JPEG: exact, balanced, fast or draft.", transform: parseChoice)
    var accuracy = ThumbnailQuality.balanced

    @Option(
        help: """
            Output format: png, jpeg, webp, gif or auto; by default that of the extension of --output, otherwise auto: \
            jpeg for JPEG inputs and WebP inputs without alpha, and png for all other inputs. With --frame all, auto \
            is the format of an animated input; without --format it is an APNG.
            """,
        transform: parseChoice)
    var format: ThumbArguments.Format?
    @Option(help: "Quality of JPEG and lossy WebP, 1 to 100.") var quality: Int?
    @Flag(name: .customLong("webp-lossless"), help: "Lossless WebP.") var isWebPLossless = false
    @Option(
        name: .customLong("webp-effort"), help: "Encoding time against file size of WebP: fast, default or small.",
        transform: parseChoice)
    var webPEffort = WebPEffort.default
    @Option(
        help: """
            Maximum file size in bytes; the quality of JPEG and lossy WebP, or the number of colours of a GIF, is \
            lowered until the file fits.
            """)
    var maxBytes: Int?
    @Option(help: "Metadata of the input to keep: strip (none), copyright, no-location or all.", transform: parseChoice)
    var metadata = MetadataPolicy.strip
    @Option(
        help: """
            Colour space: srgb, or keep for the ICC profile of the input, without conversion; by default srgb with \
            --metadata strip, otherwise keep.
            """,
        transform: parseChoice)
    var profile: ProfilePolicy?

    /// Converts the options.
    ///
    /// - Throws: `ValidationError` for a value that is malformed or out of range.
    func recipe() throws -> ThumbRecipe {
        guard let size = ThumbArguments.size(size) else {
            throw ValidationError("--size must be WxH, Wx, xH or N with an optional >, ! or ^, not '\(size)'.")
        }
        if let fit, let other = size.fit, fit != other {
            throw ValidationError("--fit and the suffix of --size specify different fits.")
        }
        var options = ThumbnailOptions(width: size.width, height: size.height, fit: fit ?? size.fit ?? .contain)
        guard let gravity = ThumbArguments.gravity(gravity) else {
            throw ValidationError("--gravity must be a position such as north, or X,Y, not '\(gravity)'.")
        }
        options.gravity = gravity
        if let crop {
            options.crop = ThumbArguments.crop(crop)
            if options.crop == nil { throw ValidationError("--crop must be WxH+X+Y, not '\(crop)'.") }
        }
        if let background {
            options.background = ThumbArguments.color(background)
            if options.background == nil {
                throw ValidationError(
                    "--background must be white, black, #rrggbb or #rrggbbaa, not '\(background)'.")
            }
        }
        options.allowsUpscaling = enlarge
        options.padsToBox = pad
        options.filter = filter
        options.linearLight = linear
        options.quality = accuracy
        options.usesEmbeddedThumbnail = embedded

        var recipe = ThumbRecipe(options: options)
        recipe.format = format?.encoded
        recipe.decoder.options.appliesOrientation = !noRotate
        if frame == "all" {
            recipe.frames = .all
        } else if let frame {
            guard let index = Int(frame), index >= 0 else {
                throw ValidationError("--frame must be 0 or more, or all.")
            }
            recipe.frames = .one(index)
        }
        if let quality {
            guard (1...100).contains(quality) else { throw ValidationError("--quality must be 1 to 100.") }
            recipe.encoding.jpeg.quality = quality
            recipe.encoding.webp.quality = quality
        }
        recipe.encoding.webp.isLossless = isWebPLossless
        recipe.encoding.webp.effort = webPEffort
        if let maxBytes {
            guard maxBytes > 0 else { throw ValidationError("--max-bytes must be 1 or more.") }
            recipe.encoding.maxBytes = maxBytes
        }
        recipe.encoding.metadataPolicy = metadata
        recipe.profile = profile
        return recipe
    }
}
