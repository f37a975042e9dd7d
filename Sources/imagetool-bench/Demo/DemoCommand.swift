import PlatformImage
import PlatformImageToolSupport

/// `imagetool-bench demo`: runs the loader demonstration and verifies its figures.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Serves the images of a folder over HTTP and loads them from the origin and from each cache.",
        discussion: """
            Runs four rounds over all URLs: from the origin, from memory, from disk, and, after the loader's \
            clock is advanced by one hour, with revalidation (304). The exit code is 1 if a count differs from its \
            expected value or if the pixels of an image differ from those of its file. Then writes a contact sheet, \
            and thumbnails of the images of at least 10,000 pixels as WebP, which are decoded again and compared.
            """)

    @Argument(help: "Folder with images; subfolders are included.") var folder: String
    @Option(
        help: """
            Maximum number of URLs. Each image has one URL; further URLs repeat the images of at least 10,000 pixels, \
            or all images if none is that large.
            """)
    var urls = 1_000
    /// Former name of `--urls`.
    @Option(name: .customLong("addresses"), help: .hidden) var addresses: Int?
    @Option(help: "Output PNG for the contact sheet.") var sheet = "contact-sheet.png"

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
        try output.write("all images have the pixels of their files in all rounds\n")

        var contactSheet = ContactSheet(count: images.imageIndices.count)
        for (index, image) in images.imageIndices.enumerated() {
            try contactSheet.draw(images.images[image].bitmap, at: index)
        }
        let file = try Output(path: sheet)
        try PixelFileFormat.png.write(contactSheet.bitmap, to: file)
        try file.commit()
        try output.write("contact sheet of \(contactSheet.columns) x \(contactSheet.rows) images: \(sheet)\n")
        if EncodedFormat.webp.isAvailable { try await writeThumbnails(of: images.largeImages, output) }
    }

    /// Writes thumbnails as WebP into a folder beside the contact sheet.
    private func writeThumbnails(of images: [DemoImages.Image], _ output: Output) async throws {
        let folder = (sheet.hasSuffix(".png") ? String(sheet.dropLast(4)) : sheet) + "-webp"
        var thumbnails = DemoThumbnails()
        try await reportingFailure(folder) {
            try DemoThumbnails.createFolder(folder)
            for image in images {
                let bytes = try convertingDecodeError { try thumbnails.add(image) }
                let file = try Output(path: "\(folder)/\(sanitizedName(image.path.utf8)).webp")
                try file.write(bytes.span)
                try file.commit()
            }
        }
        try output.write("\n" + thumbnails.text)
        for deviation in thumbnails.deviations { printError("demo: \(deviation)") }
        if !thumbnails.deviations.isEmpty { throw ExitCode(1) }
        try output.write("lossless WebP has the pixels of the thumbnails; lossy files (quality 80): \(folder)\n")
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
