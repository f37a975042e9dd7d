import PlatformImage
import PlatformImageToolSupport

/// `imagetool info`: prints format, size, frames and colour information of image files.
struct InfoCommand: ParsableCommand {
    enum Style: EnumerableFlag {
        case json, ndjson

        static func help(for value: Self) -> ArgumentHelp? {
            value == .json ? "Print one JSON array." : "Print one JSON object per file, one per line."
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Prints format, size, frames and colour information without decoding pixels.")

    @Argument(help: "Image files, or folders with -r; - reads stdin.") var files: [String]
    @Flag(name: .shortAndLong, help: "Expand folders to the images in them and in their subfolders.") var recursive =
        false
    @Flag(exclusivity: .exclusive) var style: Style?
    @Flag(help: "Decode the images and print their BlurHash.") var hash = false
    @OptionGroup var isolation: IsolationOptions

    func run() throws {
        let isolation = try isolation.start(workers: 1, limits: DecodeLimits())
        let output = try Output()
        var objects: [JSON] = []
        // The JSON array is also written after an error; the exit code then reports that elements are missing.
        defer { if style == .json { try? output.write(JSON.lines(objects)) } }
        var isFirst = true
        // Without -r, a pattern is the name of a file.
        let paths = recursive ? InputPaths.expand(files, isRecursive: true) : ExpandedPaths(files)
        if paths.paths.isEmpty { throw ValidationError("The input folders contain no image.") }
        if paths.ignoredCount > 0 {
            printError(
                "imagetool: skipped \(paths.ignoredCount) entries that are not files with the extension of an image")
        }
        try forEachFile(paths.paths) { path in
            let facts = try ImageFacts(path, hasHash: hash, isolation: isolation)
            switch style {
            case .json: objects.append(facts.json)
            case .ndjson: try output.write(facts.json.text + "\n")
            case nil:
                try output.write((isFirst ? "" : "\n") + facts.text)
                isFirst = false
            }
        }
    }
}
