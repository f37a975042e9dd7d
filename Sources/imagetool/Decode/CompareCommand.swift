import PlatformImage
import PlatformImageToolSupport

/// `imagetool compare`: prints the difference of two images of equal size.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Prints the difference of two images of the same size.",
        discussion: """
            Both images are decoded upright and in sRGB; colours of pixels with alpha 0 are ignored. Exit codes: 0 no \
            sample differs by more than --tolerance, 1 a sample differs by more than --tolerance, 65 the sizes differ \
            or a file cannot be decoded; for other errors, the exit code of decode.
            """)

    @Argument(help: "An image file; - reads stdin.") var first: String
    @Argument(help: "Another image file; - reads stdin.") var second: String
    @Option(help: "Maximum difference of two samples that count as equal, 0 to 255.") var tolerance = 0
    @Flag(help: "Print one JSON object.") var json = false
    @Flag(help: "Do not apply the orientation and do not convert colours to sRGB.") var asStored = false

    func validate() throws {
        if !(0...255).contains(tolerance) { throw ValidationError("--tolerance must be 0 to 255.") }
        if first == "-", second == "-" { throw ValidationError("Only one of the two files can be stdin.") }
    }

    func run() throws {
        let output = try Output()
        let decoder = ImageDecoder(options: asStored ? .asStored : DecodeOptions())
        var bitmaps: [Bitmap] = []
        for path in [first, second] {
            try forEachFile([path]) { path in
                let image = try decoder.decode(readInput(path, limit: decoder.options.limits.maxInputBytes))
                if let warning = warning(for: image.status) { printError("\(path): \(warning)") }
                bitmaps.append(image.bitmap)
            }
        }
        let (one, other) = (bitmaps[0], bitmaps[1])
        guard one.width == other.width, one.height == other.height else {
            printError(
                "\(second): sizesDiffer: the size is \(other.width) x \(other.height), "
                    + "expected \(one.width) x \(one.height)"
            )
            throw ExitCode(SystemExit.dataError.rawValue)
        }
        let difference = ImageDifference(one, other)
        try output.write(json ? difference.json.text + "\n" : difference.text)
        if difference.largest.contains(where: { $0 > tolerance }) { throw ExitCode(1) }
    }
}

extension ImageDifference {
    fileprivate var json: JSON {
        .object([
            ("max", .integer(largest.max() ?? 0)),
            ("maxByChannel", .array(largest.map { .integer($0) })),
            ("mean", .number(mean)),
            ("psnr", psnr.isFinite ? .number(psnr) : .null),
            ("ssim", .optional(ssim)),
        ])
    }

    fileprivate var text: String {
        let channels = zip(["red", "green", "blue", "alpha"], largest).map { "\($0) \($1)" }.joined(separator: ", ")
        return """
            max   \(largest.max() ?? 0)  (\(channels))
            mean  \(fixed(mean, digits: 4))
            psnr  \(psnr.isFinite ? fixed(psnr, digits: 2) + " dB" : "equal")
            ssim  \(ssim.map { fixed($0, digits: 6) } ?? "-")

            """
    }
}
