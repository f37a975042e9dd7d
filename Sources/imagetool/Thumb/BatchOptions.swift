import PlatformImage
import PlatformImageToolSupport

/// Inputs and outputs of `thumb` and `convert`, and their run.
struct BatchOptions: ParsableArguments {
    @Argument(help: "Image files, folders with -r, or quoted glob patterns; - reads stdin.") var inputs: [String] = []
    @Option(name: .shortAndLong, help: "Output file, folder or template; - is stdout.") var output: String
    @Flag(name: .shortAndLong, help: "Expand folders to the images in them and in their subfolders.") var recursive =
        false
    @Option(help: "File with one input per line; - reads stdin.") var filesFrom: String?
    @Flag(name: .customShort("0"), help: "The inputs of --files-from are separated by NUL.") var endsWithNUL = false
    @Option(name: .shortAndLong, help: "Number of threads; 0 means one per core.") var jobs = 0
    @Flag(help: "Print one JSON object for each output, one per line, in the order of the inputs.") var ndjson = false
    @Option(help: "File that records finished outputs; a repeated run skips them.") var manifest: String?
    @Flag(help: "Skip outputs that exist.") var skipExisting = false
    @Flag(help: "Print the outputs that would be written, from the headers of the inputs, and write nothing.")
    var dryRun = false
    @Flag(help: "Print neither the progress bar nor the summary.") var quiet = false
    @OptionGroup var isolation: IsolationOptions

    func validate() throws {
        if inputs.isEmpty, filesFrom == nil { throw ValidationError("An image file or --files-from is required.") }
        if inputs.contains("-"), filesFrom == "-" {
            throw ValidationError("- cannot be both an input and the argument of --files-from.")
        }
        if endsWithNUL, filesFrom == nil { throw ValidationError("-0 requires --files-from.") }
        if jobs < 0 || jobs > 1024 { throw ValidationError("--jobs must be 0 to 1024.") }
        if output == "-", !dryRun, Terminal.isOutput { throw Terminal.refusal }
        if ndjson, output == "-" {
            throw ValidationError("--ndjson cannot be combined with --output -: both write to stdout.")
        }
        if manifest != nil, output == "-" { throw ValidationError("--manifest cannot be combined with --output -.") }
    }

    /// Checks the output for the sizes, before any work.
    ///
    /// - Throws: `ValidationError` for a malformed template, and when two sizes have the same output path.
    func validate(_ recipes: [ThumbRecipe]) throws {
        let template = try outputTemplate(recipes, isSeveral: inputs.count > 1)
        guard recipes.count > 1 else {
            if template.containsSize, recipes.allSatisfy({ $0.sizeText == nil }) {
                throw ValidationError("--output: {size} requires --size; use {w} and {h}.")
            }
            return
        }
        if output == "-" { throw ValidationError("With several sizes, --output must not be -.") }
        guard template.containsSize || template.containsSide else {
            throw ValidationError(
                "With several sizes, --output must be a folder or contain {size}, or {w} and {h}: all sizes would have "
                    + "the same file name.")
        }
        guard !template.containsSide else { return }
        var texts: Set<String> = []
        for text in recipes.compactMap(\.sizeText) where !texts.insert(text).inserted {
            throw ValidationError("Two sizes would have the same file name: {size} is \(text) for both.")
        }
    }

    /// Processes all inputs.
    ///
    /// - Parameters:
    ///   - recipes: One recipe for each size.
    ///   - format: Value of `--format`.
    func run(_ recipes: [ThumbRecipe], format: ThumbArguments.Format?) async throws {
        let files = InputPaths.expand(inputs, isRecursive: recursive)
        let inputs = ThumbInputs(files, list: try await list(), endsWithNUL: endsWithNUL, isRecursive: recursive)
        if inputs.count == 0 { throw ValidationError("The input folders contain no image.") }
        let template = try outputTemplate(recipes, isSeveral: inputs.count != 1)
        if inputs.count ?? 0 > 1 { try checkSeveralInputs(template) }
        var recipes = try recipes.map { try completed($0, template, format) }
        let decodeIsolation = try isolation.start(
            workers: inputs.count == 1 ? 1 : jobs, limits: recipes[0].decoder.options.limits)
        for index in recipes.indices { recipes[index].decoder.isolation = decodeIsolation }
        let job = ThumbJob(recipes: recipes, template: template, skipsExisting: skipExisting, isDryRun: dryRun)
        let manifest = try manifest.map {
            try ThumbManifest(
                path: $0, recipes: recipes.map { "\($0.fingerprint) \(template.text)" }, isReadOnly: dryRun)
        }
        let batch = try ThumbBatch(
            job, files: ThumbFiles(keepsPaths: inputs.count != nil), manifest: manifest,
            rows: ndjson ? try Output() : nil, interrupt: Interrupt(), showsProgress: !quiet)
        let code = try await batch.run(inputs, threads: jobs) { try checkSeveralInputs(template) }
        if let failure = inputs.listFailure { try await reportingFailure(filesFrom ?? "") { throw failure } }
        if inputs.hasOnlyEmptyFolders { throw ValidationError("The input folders contain no image.") }
        printSummary(of: batch, inputs, hasSeveralSizes: recipes.count > 1)
        if code != 0 { throw ExitCode(code) }
    }

    /// A run of one file with one size needs no summary: its exit code and its error are the same information.
    private func printSummary(of batch: ThumbBatch, _ inputs: ThumbInputs, hasSeveralSizes: Bool) {
        var summary = batch.summary
        if inputs.ignoredCount > 0 { summary.addSkipped("not an image by its name", count: inputs.ignoredCount) }
        guard !quiet, inputs.count != 1 || hasSeveralSizes || recursive else { return }
        printError("imagetool: \(summary.text)")
    }

    /// The recipe with the format that the output determines.
    private func completed(
        _ recipe: ThumbRecipe, _ template: OutputTemplate, _ format: ThumbArguments.Format?
    ) throws -> ThumbRecipe {
        var recipe = recipe
        if recipe.format == nil, let literalExtension = template.unsupportedExtension {
            throw ValidationError(
                "--output must have the extension of a PNG, JPEG, WebP or GIF file, not \(literalExtension).")
        }
        if recipe.format == nil { recipe.format = template.format }
        if recipe.format == nil, recipe.frames == .all, format != .auto { recipe.format = .png }
        if let problem = recipe.formatProblem { throw ValidationError("\(problem).") }
        return recipe
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

    /// Output template; a folder becomes a template for one file per input and size.
    ///
    /// With several inputs or sizes, a list, a folder or a pattern, a path without the extension of an image is a
    /// folder.
    ///
    /// - Parameter isSeveral: There are several inputs.
    /// - Throws: `ValidationError` when the template is malformed.
    private func outputTemplate(_ recipes: [ThumbRecipe], isSeveral: Bool) throws -> OutputTemplate {
        let severalSizes = recipes.count > 1
        if output != "-", isFolder(output) { return OutputTemplate(folder: output, severalSizes: severalSizes) }
        do {
            guard !output.hasSuffix("/") else {
                return try OutputTemplate(output + OutputTemplate.fileName(severalSizes: severalSizes))
            }
            let template = try OutputTemplate(output)
            let isBatch =
                isSeveral || severalSizes || filesFrom != nil || recursive && inputs.contains(where: isFolder)
                || inputs.contains(where: InputPaths.isPattern)
            guard output != "-", isBatch, template.canBeFolder else { return template }
            return OutputTemplate(folder: output, severalSizes: severalSizes)
        } catch {
            throw ValidationError("--output: \(error.reason).")
        }
    }
}
