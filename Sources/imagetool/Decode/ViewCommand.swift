import PlatformImage
import PlatformImageToolSupport

/// `imagetool view`: prints a preview of an image in the terminal.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Shows an image in a terminal with 24-bit colours, two pixels per character.")

    @Argument(help: "Image file; - reads stdin.") var file: String
    @Option(help: "Maximum number of columns; by default those of the terminal, or 80.") var width: Int?
    @Flag(help: "Print even when stdout is not a terminal.") var force = false

    func validate() throws {
        if let width, !(1...10_000).contains(width) { throw ValidationError("--width must be 1 to 10000.") }
    }

    func run() throws {
        guard force || Terminal.isOutput else {
            printError("imagetool: stdout is not a terminal; use --force to print anyway")
            return
        }
        let output = try Output()
        try forEachFile([file]) { path in
            let decoder = ImageDecoder()
            let bytes = try readInput(path, limit: decoder.options.limits.maxInputBytes)
            let image = try decoder.decode(bytes)
            if let warning = warning(for: image.status) { printError("\(path): \(warning)") }
            try output.write(HalfBlocks(image.bitmap, columns: width ?? Terminal.columns ?? 80).text)
        }
    }
}
