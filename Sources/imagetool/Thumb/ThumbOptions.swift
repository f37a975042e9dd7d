import PlatformImage
import PlatformImageToolSupport

/// The options of `thumb` that describe the thumbnail; `imagetool worker` has the same options in its requests.
struct ThumbOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: """
            Size of the thumbnail in pixels: WxH, Wx, xH or N, with an optional suffix >, ! or ^. May be repeated: \
            every input is decoded once, and one file is written for each size.
            """)
    var size: [String]

    @Option(help: "Fit of the image to the box: contain, cover, fill or scaleDown.", transform: parseChoice) var fit:
        ThumbnailFit?
    @Option(
        help: "Crop position of --fit cover: center, north, southeast, ..., or a focal point X,Y from 0,0 to 1,1.")
    var gravity = "center"
    @Option(help: "Resampling filter: nearest, box, triangle, mitchell or lanczos3.", transform: parseChoice)
    var filter = ResampleFilter.lanczos3
    @Flag(help: "Resample in linear light instead of sRGB values.") var linear = false
    @Flag(help: "Enlarge images that are smaller than the box.") var enlarge = false
    @Flag(help: "Pad the image to the box with the background colour.") var pad = false
    @Flag(help: "Use the thumbnail that the camera embedded in the file, if it is large enough.") var embedded = false
    @Option(help: "Decoding accuracy of JPEG: exact, balanced, fast or draft.", transform: parseChoice)
    var accuracy = ThumbnailQuality.balanced

    @OptionGroup var image: ImageOptions

    /// Converts the options; one recipe for each size.
    ///
    /// - Throws: `ValidationError` for a value that is malformed or out of range, and for equal sizes.
    func recipes() throws -> [ThumbRecipe] {
        var recipes: [ThumbRecipe] = []
        for text in size {
            let recipe = try recipe(text)
            if let other = recipes.first(where: { $0.options == recipe.options }) {
                throw ValidationError("--size \(other.sizeText ?? text) and --size \(text) are the same size.")
            }
            recipes.append(recipe)
        }
        return recipes
    }

    private func recipe(_ text: String) throws -> ThumbRecipe {
        guard let size = ThumbArguments.size(text) else {
            throw ValidationError("--size must be WxH, Wx, xH or N with an optional >, ! or ^, not '\(text)'.")
        }
        if let fit, let other = size.fit, fit != other {
            throw ValidationError("--fit and the suffix of --size specify different fits.")
        }
        var options = ThumbnailOptions(width: size.width, height: size.height, fit: fit ?? size.fit ?? .contain)
        guard let gravity = ThumbArguments.gravity(gravity) else {
            throw ValidationError("--gravity must be a position such as north, or X,Y, not '\(gravity)'.")
        }
        options.gravity = gravity
        options.allowsUpscaling = enlarge
        options.padsToBox = pad
        options.filter = filter
        options.linearLight = linear
        options.quality = accuracy
        options.usesEmbeddedThumbnail = embedded
        var recipe = try image.recipe(options)
        recipe.sizeText = text.last.map { ">!^".contains($0) } == true ? String(text.dropLast()) : text
        return recipe
    }
}
