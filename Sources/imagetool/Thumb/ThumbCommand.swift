#if Tool
import ArgumentParser
import PlatformImage
import PlatformImageToolSupport

/// `imagetool thumb`: writes thumbnails of images.
struct ThumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumb",
        abstract: "Makes thumbnails: upright, in sRGB, as PNG, APNG or JPEG without metadata.",
        discussion: """
            A size is WxH, Wx, xH, or N for a square box; the picture is made to fit into it and never enlarged. As \
            ImageMagick has it, ^ behind the size covers the box, ! fills it exactly, > never enlarges even with \
            --enlarge.
            The output is a file, a folder, - for stdout, or a template with {dir}, {name}, {w}, {h} and {ext}; \
            folders are made. Files appear when they are whole. Exit codes are those of decode; with several inputs \
            1 if any failed, the others are made all the same; 130 after SIGINT.
            """)

    @Argument(help: "Image files, folders with -r, or quoted patterns; - reads stdin.") var inputs: [String] = []
    @Option(name: .shortAndLong, help: "WxH[>|!|^], in pixels.") var size: String
    @Option(name: .shortAndLong, help: "File, folder, template, or - for stdout.") var output: String

    @Option(help: "contain, cover, fill or scaleDown.", transform: parseChoice) var fit: ThumbnailFit?
    @Option(help: "What cover keeps: center, north, southeast, ..., or a focal point X,Y from 0,0 to 1,1.")
    var gravity = "center"
    @Option(help: "The part that is used, WxH+X+Y in pixels of the upright picture.") var crop: String?
    @Option(help: "nearest, box, triangle, mitchell or lanczos3.", transform: parseChoice)
    var filter = ResampleFilter.lanczos3
    @Flag(help: "Weigh light, not sRGB values.") var linear = false
    @Flag(help: "Enlarge pictures that are smaller than the box.") var enlarge = false
    @Flag(help: "Fill what is left of the box with the background.") var pad = false
    @Option(help: "Laid under transparent pixels: white, black, #rrggbb or #rrggbbaa.") var background: String?
    @Flag(help: "Do not turn the picture upright.") var noRotate = false
    @Option(help: "Frame of an animation or page of a TIFF, from 0; all makes an APNG.") var frame: String?
    @Flag(help: "Take a camera's own thumbnail when it is large enough.") var embedded = false
    @Option(help: "How much of a JPEG is read: exact, balanced, fast or draft.", transform: parseChoice)
    var accuracy = ThumbnailQuality.balanced

    @Option(
        help: "png or jpeg; by default what the output's ending says, else JPEG of JPEGs and PNG of others.",
        transform: parseChoice)
    var format: EncodedFormat?
    @Option(help: "Of a JPEG, 1 to 100.") var quality: Int?
    @Option(help: "The largest file; a JPEG's quality is lowered until it fits.") var maxBytes: Int?

    @Flag(name: .shortAndLong, help: "Take the pictures in folders, and in those below.") var recursive = false
    @Option(help: "File with one input a line; - reads stdin.") var filesFrom: String?
    @Flag(name: .customShort("0"), help: "The inputs of --files-from end with NUL.") var endsWithNUL = false
    @Option(name: .shortAndLong, help: "Threads; 0 is one a core.") var jobs = 0
    @Flag(help: "Print a line of JSON for each input, in order.") var ndjson = false
    @Option(help: "File that notes what is done; started again, the rest is made.") var manifest: String?
    @Flag(help: "Leave out what has its output already.") var skipExisting = false

    func validate() throws {
        _ = try recipe()
        if inputs.isEmpty, filesFrom == nil { throw ValidationError("There is no input.") }
        if inputs.contains("-"), filesFrom == "-" { throw ValidationError("stdin is a picture or a list, not both.") }
        if endsWithNUL, filesFrom == nil { throw ValidationError("-0 goes with --files-from.") }
        if jobs < 0 || jobs > 1024 { throw ValidationError("--jobs is 0 to 1024.") }
        if ndjson, output == "-" { throw ValidationError("--ndjson and the picture cannot both go to stdout.") }
        if manifest != nil, output == "-" { throw ValidationError("--manifest goes with files.") }
        _ = try outputTemplate()
    }

    func run() async throws {
        let paths = try await allPaths()
        let template = try template(for: paths)
        var recipe = try recipe()
        if recipe.format == nil, let literalExtension = template.unsupportedExtension {
            throw ValidationError("Thumbnails are PNG or JPEG, not \(literalExtension).")
        }
        if recipe.format == nil { recipe.format = template.format ?? (recipe.frames == .all ? .png : nil) }
        if recipe.frames == .all, recipe.format == .jpeg { throw ValidationError("A JPEG has one frame.") }
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
            throw ValidationError("There is no picture in the folder.")
        }
        if paths.count > 1, output == "-" { throw ValidationError("Several pictures cannot go to stdout.") }
        return paths
    }

    /// Output template; a folder becomes a template for one file per input.
    ///
    /// - Throws: `ValidationError` when several inputs would have the same output.
    private func template(for paths: [String]) throws -> OutputTemplate {
        let template = try outputTemplate()
        guard paths.count <= 1 || template.containsName else {
            throw ValidationError("Several inputs need an output with {name}, or a folder.")
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
            throw ValidationError("--size is WxH, Wx, xH or N, perhaps with >, ! or ^, not '\(size)'.")
        }
        if let fit, let other = size.fit, fit != other {
            throw ValidationError("--fit and what is behind the size disagree.")
        }
        var options = ThumbnailOptions(width: size.width, height: size.height, fit: fit ?? size.fit ?? .contain)
        guard let gravity = ThumbArguments.gravity(gravity) else {
            throw ValidationError("--gravity is a place or X,Y, not '\(gravity)'.")
        }
        options.gravity = gravity
        if let crop {
            options.crop = ThumbArguments.crop(crop)
            if options.crop == nil { throw ValidationError("--crop is WxH+X+Y, not '\(crop)'.") }
        }
        if let background {
            options.background = ThumbArguments.color(background)
            if options.background == nil { throw ValidationError("--background is a colour, not '\(background)'.") }
        }
        options.allowsUpscaling = enlarge
        options.padsToBox = pad
        options.filter = filter
        options.linearLight = linear
        options.quality = accuracy
        options.usesEmbeddedThumbnail = embedded

        var recipe = ThumbRecipe(options: options)
        recipe.format = format
        recipe.decoder.options.appliesOrientation = !noRotate
        if frame == "all" {
            recipe.frames = .all
        } else if let frame {
            guard let index = Int(frame), index >= 0 else { throw ValidationError("--frame is 0 or more, or all.") }
            recipe.frames = .one(index)
        }
        if let quality {
            guard (1...100).contains(quality) else { throw ValidationError("--quality is 1 to 100.") }
            recipe.encoding.jpeg.quality = quality
        }
        if let maxBytes {
            guard maxBytes > 0 else { throw ValidationError("--max-bytes is 1 or more.") }
            recipe.encoding.maxBytes = maxBytes
        }
        return recipe
    }
}
#endif
