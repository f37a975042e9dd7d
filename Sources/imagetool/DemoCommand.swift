#if Tool
import ArgumentParser
import PlatformImage

/// `imagetool demo`: a folder of pictures through the public interface.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Decodes every file of a folder and prints a table of what came out.")

    @Argument(help: "Folder; the folders below it count too.") var folder: String
    @Option(help: "File to show in the terminal after the table: its name in the table, or a path.")
    var view: String?

    func run() throws {
        var demo = Demo()
        var files: [String] = []
        try forEachFile([folder]) { files = try filesIn($0) }
        for file in files { demo.add(file, in: folder) }
        let output = try Output()
        try output.write(demo.text)
        guard let view else { return }
        try forEachFile([files.contains(view) ? "\(folder)/\(view)" : view]) { path in
            let decoder = ImageDecoder()
            let image = try decoder.decode(try readInput(path, limit: decoder.options.limits.maxInputBytes))
            try output.write("\n\(view)\n" + HalfBlocks(image.bitmap, columns: Terminal.columns ?? 80).text)
        }
    }
}
#endif
