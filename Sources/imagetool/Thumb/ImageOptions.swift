import PlatformImage
import PlatformImageToolSupport

/// The options of `thumb` and `convert` that describe the output image, apart from its size.
struct ImageOptions: ParsableArguments {
    @Option(help: "Part of the image to use, WxH+X+Y in pixels of the upright (with --no-rotate: the stored) image.")
    var crop: String?
    @Option(help: "Background colour: white, black, #rrggbb or #rrggbbaa.") var background: String?
    @Flag(help: "Do not apply the orientation.") var noRotate = false
    @Option(
        help: """
            Index of the frame of an animation or of the page of a TIFF, from 0; all creates an animation of all \
            frames, as APNG, WebP or GIF.
            """)
    var frame: String?
    @Option(
        help: """
            Output format: png, jpeg, webp, gif or auto; by default that of the extension of --output, otherwise auto: \
            jpeg for JPEG inputs and WebP inputs without alpha, and png for all other inputs. With --frame all, auto \
            is the format of an animated input; without --format it is an APNG.
            """,
        transform: parseChoice)
    var format: ThumbArguments.Format?
    @Option(help: "Quality of JPEG and lossy WebP, 1 to 100. (default: \(JPEGOptions().quality))")
    var quality: Int?
    @Flag(
        name: .customLong("webp-lossless"),
        help:
            "Lossless WebP. Without it, a WebP of an input with a palette is lossless unless the lossy file is smaller."
    ) var isWebPLossless = false
    @Option(
        name: .customLong("webp-effort"), help: "Encoding time against file size of WebP: fast, default or small.",
        transform: parseChoice)
    var webPEffort = WebPEffort.default
    @Option(
        help: """
            Maximum file size in bytes, also with a unit: 10k, 10kB or 10KiB; the quality of JPEG and lossy WebP, or \
            the number of colours of a GIF, is lowered until the file fits.
            """)
    var maxBytes: ByteCount?
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
    /// - Parameter options: Size and resampling of the image.
    /// - Throws: `ValidationError` for a value that is malformed or out of range.
    func recipe(_ options: ThumbnailOptions) throws -> ThumbRecipe {
        var options = options
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
            guard maxBytes.bytes > 0 else { throw ValidationError("--max-bytes must be 1 or more.") }
            recipe.encoding.maxBytes = maxBytes.bytes
        }
        recipe.encoding.metadataPolicy = metadata
        recipe.profile = profile
        return recipe
    }
}
