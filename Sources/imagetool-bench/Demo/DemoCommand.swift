#if Tool && AsyncHTTPClient
import ArgumentParser
import PlatformImageToolSupport

/// `imagetool-bench demo`: runs the loader demonstration and verifies its figures.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Serves the pictures of a folder to itself over HTTP and loads them from everywhere.",
        discussion: """
            Four rounds over all addresses: from the origin, from memory, from disk, and after an hour by the loader's \
            clock, when the origin confirms what is stored (304). Exits with 1 when a figure is not what it must be or \
            a pixel is not that of the file.
            """)

    @Argument(help: "Folder; the folders below it count too.") var folder: String
    @Option(help: "URLs: each image has one, large images have several.") var urls = 1_000
    /// Former name of `--urls`.
    @Option(name: .customLong("addresses"), help: .hidden) var addresses: Int?
    @Option(help: "File for the contact sheet, a PNG.") var sheet = "contact-sheet.png"

    private var urlCount: Int { addresses ?? urls }

    func validate() throws {
        if urlCount < 1 { throw ValidationError("--urls must be 1 or more.") }
    }

    func run() async throws {
        let output = try Output()
        let images = try await reportingFailure(folder) {
            try DemoImages(folder: folder, count: urlCount, maxBytes: Demo.memoryLimit)
        }
        try output.write(images.summary + "\n")
        let deviations = try await withTemporaryFolder("demo") { directory in
            var demo = try await Demo(images, cacheDirectory: directory)
            try await run(&demo, count: images.imageIndices.count, output)
            try output.write("\n" + demo.text)
            return demo.deviations
        }
        for deviation in deviations { printError("demo: \(deviation)") }
        if !deviations.isEmpty { throw ExitCode(1) }
        try output.write("every picture has the pixels of its file, in every round\n")

        var contactSheet = ContactSheet(count: images.imageIndices.count)
        for (index, image) in images.imageIndices.enumerated() {
            try contactSheet.draw(images.images[image].bitmap, at: index)
        }
        let file = try Output(path: sheet)
        try PixelFileFormat.png.write(contactSheet.bitmap, to: file)
        try file.commit()
        try output.write("contact sheet of \(contactSheet.columns) x \(contactSheet.rows) pictures: \(sheet)\n")
    }

    /// Runs the rounds with a progress bar on a terminal, otherwise with a line for each quarter of a round.
    private func run(_ demo: inout Demo, count: Int, _ output: Output) async throws {
        var progress: Progress?
        let quarter = max(1, (count + 3) / 4)
        try await demo.run { kind, done in
            if Terminal.isError {
                if done == 1 { progress = Progress(padded(kind.name, to: 8), total: count) }
                progress?.show(done)
                if done == count { progress?.clear() }
            } else if done % quarter == 0 || done == count {
                try output.write("\(padded(kind.name, to: 8)) \(done) of \(count)\n")
            }
        }
    }
}
#endif
