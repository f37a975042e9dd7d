import PlatformImage
import PlatformImageToolSupport

/// `imagetool-bench thumb`: measures the resident memory of a process that makes many thumbnails.
struct BenchThumbCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumb",
        abstract: "Creates many thumbnails and prints the resident memory of the process.")

    @Argument(help: "Image files; every thumbnail of a file that cannot be decoded counts as failed.")
    var files: [String]
    @Option(help: "Number of thumbnails.") var count = 10_000
    @Flag(help: "Print one JSON object.") var json = false

    /// Sides of the square boxes in pixels; each thumbnail uses the next one.
    private static let sides = [256, 64, 480, 128, 33]
    /// Number of thumbnails before the first measurement.
    private static let warmUp = 500

    func validate() throws {
        if count < Self.warmUp || count > 10_000_000 { throw ValidationError("--count must be 500 to 10000000.") }
        if files.isEmpty { throw ValidationError("An image file is required.") }
    }

    func run() throws {
        let output = try Output()
        let decoder = ImageDecoder(options: options)
        let encoder = ImageEncoder()
        let inputs = files.compactMap { try? readInput($0, limit: 64 << 20) }
        guard !inputs.isEmpty else { throw ExitCode(SystemExit.noInput.rawValue) }
        var (failed, early) = (0, 0)
        for index in 0..<count {
            let side = Self.sides[index % Self.sides.count]
            let bytes = inputs[index % inputs.count]
            do {
                let fit: ThumbnailFit = index % 3 == 0 ? .cover : .contain
                let thumbnail = try decoder.thumbnail(
                    of: bytes, options: ThumbnailOptions(width: side, height: side, fit: fit))
                _ = try encoder.encode(thumbnail.bitmap, as: index % 2 == 0 ? .jpeg : .png)
            } catch {
                failed += 1
            }
            if index + 1 == Self.warmUp { early = residentBytes(.current) }
        }
        let late = residentBytes(.current)
        if json {
            try output.write(
                JSON.object([
                    ("count", .integer(count)), ("failed", .integer(failed)), ("residentAfter500", .integer(early)),
                    ("residentAtEnd", .integer(late)), ("residentPeak", .integer(residentBytes(.peak))),
                ]).text + "\n")
        } else {
            try output.write(
                "\(count) thumbnails of \(inputs.count) files, \(failed) failed; resident memory "
                    + "after \(Self.warmUp) thumbnails: \(early) bytes, at the end: \(late) bytes\n")
        }
    }

    private var options: DecodeOptions {
        var options = DecodeOptions()
        options.limits = .thumbnailService
        return options
    }
}
