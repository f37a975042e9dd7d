import PlatformImage
import PlatformImageToolSupport

/// `imagetool contact-sheet`: draws thumbnails of many images on one PNG.
struct ContactSheetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact-sheet",
        abstract: "Draws the thumbnails of several images in one PNG.",
        discussion: """
            The cell of a file that cannot be decoded is empty; with several inputs, the exit code is 1 in this case.
            """)

    /// Largest area of a sheet in pixels.
    private static let maxPixels = 100_000_000

    @Argument(help: "Image files, folders with -r, or quoted glob patterns.") var inputs: [String]
    @Option(name: .shortAndLong, help: "Output PNG; - is stdout.") var output: String
    @Option(name: .shortAndLong, help: "Longer side of a thumbnail in pixels.") var size = 128
    @Option(help: "Number of thumbnails per row; the default gives the sheet an aspect ratio of about 16:10.")
    var columns: Int?
    @Flag(name: .shortAndLong, help: "Expand folders to the images in them and in their subfolders.") var recursive =
        false
    @Option(name: .shortAndLong, help: "Number of threads; 0 means one per core.") var jobs = 0

    func validate() throws {
        if !(1...4096).contains(size) { throw ValidationError("--size must be 1 to 4096 pixels.") }
        if let columns, !(1...10_000).contains(columns) { throw ValidationError("--columns must be 1 to 10000.") }
        if jobs < 0 || jobs > 1024 { throw ValidationError("--jobs must be 0 to 1024.") }
        if output == "-", Terminal.isOutput { throw Terminal.refusal }
        if let name = try? OutputTemplate(output),
            name.unsupportedExtension != nil || ![nil, .png].contains(name.format)
        {
            throw ValidationError("--output must be a PNG file.")
        }
    }

    func run() async throws {
        let expanded = InputPaths.expand(inputs, isRecursive: recursive)
        let paths = expanded.paths
        guard !paths.isEmpty else { throw ValidationError("The input folders contain no image.") }
        try await reportingFailure(output) {
            guard let identity = FileIdentity(path: output),
                paths.contains(where: { FileIdentity(path: $0) == identity })
            else { return }
            throw Failure(.usage, "sameOutput: the output would replace an input")
        }
        let wide = columns ?? ContactSheet.columns(for: paths.count)
        let pitch = ContactSheet.pitch(side: size)
        let high = (paths.count + wide - 1) / wide
        guard high * wide * pitch * pitch <= Self.maxPixels else {
            throw ValidationError(
                "A sheet of \(wide) x \(high) thumbnails of up to \(size) pixels per side exceeds the maximum "
                    + "area of \(Self.maxPixels) pixels; lower --size or use fewer images.")
        }
        var sheet = ContactSheet(count: paths.count, side: size, columns: wide)
        let failures = try await draw(paths, on: &sheet)
        if expanded.ignoredCount > 0 {
            printError(
                "imagetool: skipped \(expanded.ignoredCount) entries that are not files with the extension of an image")
        }
        if failures.count < paths.count {
            let file = try Output(path: output)
            let bitmap = sheet.bitmap
            let png = try await reportingFailure(output) {
                try convertingEncodeError { () throws(EncodeError) in try ImageEncoder().encode(bitmap, as: .png) }
            }
            try file.write(png.span)
            try file.commit()
        }
        guard let first = failures.first else { return }
        throw ExitCode(paths.count == 1 ? first.exit.rawValue : 1)
    }

    /// Draws all images and returns the failures, each of which is also reported on stderr.
    private func draw(_ paths: [String], on sheet: inout ContactSheet) async throws -> [Failure] {
        let options = ThumbnailOptions(width: size, height: size)
        let queue = DecodeQueue(width: min(jobs, paths.count))
        let decoder = ImageDecoder()
        let images = OrderedConcurrentMap(paths, width: queue.width * 4) { path in
            let result = try? await queue.run { flag in
                Result<DecodedImage, any Error> {
                    let bytes = try readInput(path, limit: decoder.options.limits.maxInputBytes)
                    return try convertingDecodeError {
                        try decoder.thumbnail(of: bytes, options: options, cancellation: flag)
                    }
                }
            }
            return result ?? .failure(Failure(.software, "cancelled"))
        }
        var failures: [Failure] = []
        var index = 0
        for await decoded in images {
            do {
                let image = try decoded.get()
                try sheet.draw(image.bitmap, at: index)
                if let warning = warning(for: image.status) { printError("\(paths[index]): \(warning)") }
            } catch let error as DecodeError {
                failures.append(Failure(error))
                printError("\(paths[index]): \(error)")
            } catch let failure as Failure {
                failures.append(failure)
                printError("\(paths[index]): \(failure.reason)")
            }
            index += 1
        }
        return failures
    }
}
