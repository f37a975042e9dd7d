#if Tool
import ArgumentParser
import PlatformImage
import PlatformImageToolSupport

/// `imagetool thumb`: writes thumbnails of images.
struct ThumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumb",
        abstract: "Creates thumbnails: upright, by default in sRGB and without metadata, as PNG, JPEG, WebP or GIF.",
        discussion: """
            A size is WxH, Wx, xH, or N for a square box; by default the image fits into the box and is not enlarged. \
            As in ImageMagick, the suffix ^ covers the box, ! fills it exactly, and > never enlarges, even with \
            --enlarge.
            The output is a file, a folder, - for stdout, or a template with {dir}, {name}, {w}, {h} and {ext}; \
            missing folders are created. Files are written atomically. Exit codes are those of decode; with several \
            inputs, all inputs are processed and the exit code is 1 if any input failed; 130 after SIGINT.
            """)

    @Argument(help: "Image files, folders with -r, or quoted glob patterns; - reads stdin.") var inputs: [String] = []
    @Option(
        name: .shortAndLong,
        help: "Size of the thumbnail in pixels: WxH, Wx, xH or N, with an optional suffix >, ! or ^.") var size: String
    @Option(name: .shortAndLong, help: "Output file, folder or template; - is stdout.") var output: String

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

    @Flag(name: .shortAndLong, help: "Expand folders to the images in them and in their subfolders.") var recursive =
        false
    @Option(help: "File with one input per line; - reads stdin.") var filesFrom: String?
    @Flag(name: .customShort("0"), help: "The inputs of --files-from are separated by NUL.") var endsWithNUL = false
    @Option(name: .shortAndLong, help: "Number of threads; 0 means one per core.") var jobs = 0
    @Flag(help: "Print one JSON object for each input, one per line, in the order of the inputs.") var ndjson = false
    @Option(help: "File that records finished thumbnails; a repeated run skips them.") var manifest: String?
    @Flag(help: "Skip inputs whose output exists.") var skipExisting = false
    @OptionGroup var isolation: IsolationOptions

    func validate() throws {
        _ = try recipe()
        if inputs.isEmpty, filesFrom == nil { throw ValidationError("An image file or --files-from is required.") }
        if inputs.contains("-"), filesFrom == "-" {
            throw ValidationError("- cannot be both an input and the argument of --files-from.")
        }
        if endsWithNUL, filesFrom == nil { throw ValidationError("-0 requires --files-from.") }
        if jobs < 0 || jobs > 1024 { throw ValidationError("--jobs must be 0 to 1024.") }
        if ndjson, output == "-" {
            throw ValidationError("--ndjson cannot be combined with --output -: both write to stdout.")
        }
        if manifest != nil, output == "-" { throw ValidationError("--manifest cannot be combined with --output -.") }
        _ = try outputTemplate()
    }

    func run() async throws {
        let paths = try await allPaths()
        let template = try template(for: paths)
        var recipe = try recipe()
        if recipe.format == nil, let literalExtension = template.unsupportedExtension {
            throw ValidationError(
                "--output must have the extension of a PNG, JPEG, WebP or GIF file, not \(literalExtension).")
        }
        if recipe.format == nil { recipe.format = template.format }
        if recipe.format == nil, recipe.frames == .all, format != .auto { recipe.format = .png }
        if recipe.frames == .all, recipe.format == .jpeg {
            throw ValidationError("--frame all requires the format png, webp or gif: a JPEG has one frame.")
        }
        if let format = recipe.format, !format.isAvailable {
            throw ValidationError("This build does not write \(format.rawValue).")
        }
        recipe.decoder.isolation = try isolation.start(
            workers: paths.count == 1 ? 1 : jobs, limits: recipe.decoder.options.limits)
        let job = ThumbJob(recipe: recipe, template: template, skipsExisting: skipExisting)
        let manifest = try manifest.map {
            try ThumbManifest(path: $0, recipe: "\(recipe.fingerprint) \(template.text)")
        }
        let batch = ThumbBatch(
            job, manifest: manifest, rows: ndjson ? try Output() : nil, total: paths.count, interrupt: Interrupt())
        let code = try await batch.run(paths, threads: jobs)
        if code != 0 { throw ExitCode(code) }
    }

    private func allPaths() async throws -> [String] {
        var listed: [String] = []
        if let filesFrom {
            listed = try await reportingFailure(filesFrom) {
                InputPaths.list(try readList(filesFrom), endsWithNUL: endsWithNUL)
            }
        }
        let paths =
            InputPaths.expand(inputs, isRecursive: recursive)
            + InputPaths.expandFolders(listed, isRecursive: recursive)
        // An empty list of `--files-from` is not an error.
        if paths.isEmpty, !inputs.isEmpty || !listed.isEmpty {
            throw ValidationError("The input folders contain no image.")
        }
        if paths.count > 1, output == "-" { throw ValidationError("With several inputs, --output must not be -.") }
        return paths
    }

    /// Output template; a folder becomes a template for one file per input.
    ///
    /// - Throws: `ValidationError` when there are several inputs and the template does not contain `{name}`, or when
    ///   the template is malformed.
    private func template(for paths: [String]) throws -> OutputTemplate {
        let template = try outputTemplate()
        guard paths.count <= 1 || template.containsName else {
            throw ValidationError("With several inputs, --output must be a folder or contain {name}.")
        }
        return template
    }

    private func outputTemplate() throws -> OutputTemplate {
        if output != "-", isFolder(output) { return OutputTemplate(folder: output) }
        do {
            return try OutputTemplate(output.hasSuffix("/") ? output + "{name}.{ext}" : output)
        } catch {
            throw ValidationError("--output: \(error.reason).")
        }
    }

    private func recipe() throws -> ThumbRecipe {
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
            recipe.encoding.webP.quality = quality
        }
        recipe.encoding.webP.isLossless = isWebPLossless
        recipe.encoding.webP.effort = webPEffort
        if let maxBytes {
            guard maxBytes > 0 else { throw ValidationError("--max-bytes must be 1 or more.") }
            recipe.encoding.maxBytes = maxBytes
        }
        recipe.encoding.metadataPolicy = metadata
        recipe.profile = profile
        return recipe
    }
}
#endif
