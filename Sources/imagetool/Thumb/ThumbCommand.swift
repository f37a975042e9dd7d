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
    @Option(name: .shortAndLong, help: "Output file, folder or template; - is stdout.") var output: String

    @OptionGroup var image: ThumbOptions

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
        _ = try image.recipe()
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
        let inputs = ThumbInputs(
            InputPaths.expand(inputs, isRecursive: recursive), list: try await list(), endsWithNUL: endsWithNUL,
            isRecursive: recursive)
        if inputs.count == 0 { throw ValidationError("The input folders contain no image.") }
        let template = try outputTemplate()
        if inputs.count ?? 0 > 1 { try checkSeveralInputs(template) }
        var recipe = try image.recipe()
        if recipe.format == nil, let literalExtension = template.unsupportedExtension {
            throw ValidationError(
                "--output must have the extension of a PNG, JPEG, WebP or GIF file, not \(literalExtension).")
        }
        if recipe.format == nil { recipe.format = template.format }
        if recipe.format == nil, recipe.frames == .all, image.format != .auto { recipe.format = .png }
        if let problem = recipe.formatProblem { throw ValidationError("\(problem).") }
        recipe.decoder.isolation = try isolation.start(
            workers: inputs.count == 1 ? 1 : jobs, limits: recipe.decoder.options.limits)
        let job = ThumbJob(recipe: recipe, template: template, skipsExisting: skipExisting)
        let manifest = try manifest.map {
            try ThumbManifest(path: $0, recipe: "\(recipe.fingerprint) \(template.text)")
        }
        let batch = ThumbBatch(
            job, files: ThumbFiles(keepsPaths: inputs.count != nil), manifest: manifest,
            rows: ndjson ? try Output() : nil, interrupt: Interrupt())
        let code = try await batch.run(inputs, threads: jobs) { try checkSeveralInputs(template) }
        if let failure = inputs.listFailure { try await reportingFailure(filesFrom ?? "") { throw failure } }
        if inputs.hasOnlyEmptyFolders { throw ValidationError("The input folders contain no image.") }
        if code != 0 { throw ExitCode(code) }
    }

    private func list() async throws -> LineInput? {
        guard let filesFrom else { return nil }
        return try await reportingFailure(filesFrom) {
            try LineInput(path: filesFrom, separator: endsWithNUL ? 0 : UInt8(ascii: "\n"), watchesOutput: false)
        }
    }

    /// - Throws: `ValidationError` when all inputs would have the same output.
    private func checkSeveralInputs(_ template: OutputTemplate) throws {
        if output == "-" { throw ValidationError("With several inputs, --output must not be -.") }
        guard template.containsName else {
            throw ValidationError("With several inputs, --output must be a folder or contain {name}.")
        }
    }

    /// Output template; a folder becomes a template for one file per input.
    ///
    /// - Throws: `ValidationError` when the template is malformed.
    private func outputTemplate() throws -> OutputTemplate {
        if output != "-", isFolder(output) { return OutputTemplate(folder: output) }
        do {
            return try OutputTemplate(output.hasSuffix("/") ? output + "{name}.{ext}" : output)
        } catch {
            throw ValidationError("--output: \(error.reason).")
        }
    }
}
