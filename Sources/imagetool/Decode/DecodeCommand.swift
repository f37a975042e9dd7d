import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool decode`: writes the pixels of image files, or their SHA-256 digests.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Writes the pixels of image files as RGBA with 8 bits and straight alpha.",
        discussion: """
            The decodable part of a damaged file is written, with a warning on stderr and exit code 0; see --strict \
            and --status. Several files are written one after the other.
            """)

    @Argument(help: "Image files; - reads stdin.") var files: [String]
    @Flag(help: "Do not apply the orientation and do not convert colours to sRGB.") var asStored = false
    @Flag(help: "Reject damaged files.") var strict = false
    @Option(help: "Index of the frame of an animation or of the page of a TIFF, from 0.") var frame: Int?
    @Flag(help: "Multiply colours by alpha; requires --format pam or raw.") var premultiplied = false
    @Option(
        help: """
            Output format: pam, png, raw (rows without a header), jpeg, webp or gif; by default that of the extension \
            of --output, otherwise pam.
            """)
    var format: DecodedFormat?
    @Option(name: .shortAndLong, help: "Output file; - is stdout, the default.") var output: String?
    @Option(
        help: """
            File for the status of each input, one JSON object per line with file, status, rows, warnings and error; \
            - is stdout. Without --output, --status - writes no pixels.
            """)
    var status: String?
    @Flag(help: "Print the SHA-256 of the RGBA rows and the path; colours of pixels with alpha 0 count as 0.")
    var digest = false
    @Option(help: "Maximum number of pixels; larger images are rejected.") var maxPixels: Int?
    @Option(help: "Maximum number of frames that are decoded to compose the frame of --frame.") var maxFrames: Int?
    @Option(
        help: ArgumentHelp(
            "Time limit for decoding a file, in seconds.",
            discussion: "The limit is checked every 16 rows and at each scan, strip, tile and frame.",
            valueName: "seconds"))
    var deadline: Double?
    @OptionGroup var isolation: IsolationOptions

    func validate() throws {
        if let frame, frame < 0 { throw ValidationError("--frame must be 0 or more.") }
        if let maxPixels, maxPixels < 1 { throw ValidationError("--max-pixels must be 1 or more.") }
        if let maxFrames, maxFrames < 1 { throw ValidationError("--max-frames must be 1 or more.") }
        if let deadline, !(deadline > 0) { throw ValidationError("--deadline must be greater than 0 seconds.") }
        if !digest, !discardsPixels, format == nil, let output, let unsupported = DecodedFormat.unsupported(output) {
            throw ValidationError(
                "--output must have the extension of a PNG, JPEG, WebP, GIF or PAM file, not \(unsupported).")
        }
        if let format = outputFormat.encoded, !format.isAvailable {
            throw ValidationError("This build does not write \(format.rawValue).")
        }
        if premultiplied, digest || !outputFormat.isRows {
            throw ValidationError(
                "--premultiplied requires --format pam or raw; a digest and an image file have straight alpha.")
        }
        if files.count > 1, !digest, !discardsPixels, output ?? "-" != "-" || !outputFormat.isRows {
            throw ValidationError(
                "Several files require --digest, '--status -' without --output, or output to stdout with --format pam "
                    + "or raw.")
        }
        if !digest, !discardsPixels, output ?? "-" == "-", Terminal.isOutput { throw Terminal.refusal }
        if status == "-", digest || output == "-" {
            throw ValidationError("--status - cannot be combined with --digest or --output -: both write to stdout.")
        }
        if let status, status != "-", status == output {
            throw ValidationError("--status and --output must be different files.")
        }
    }

    /// `--format`, otherwise the format of the extension of `--output`.
    private var outputFormat: DecodedFormat { format ?? DecodedFormat(outputPath: output ?? "-") }

    /// True when only the status lines are requested, and no pixels.
    private var discardsPixels: Bool { status == "-" && output == nil && !digest }

    func run() throws {
        var decoder = ImageDecoder(options: options)
        decoder.isolation = try isolation.start(workers: 1, limits: options.limits)
        let statusLines = try status.map { path throws(OutputFailure) in try Output(path: path) }
        // Opened lazily: when decoding fails, an existing output file stays unchanged.
        var target: Output?
        func opened() throws -> Output {
            let opened = try target ?? Output(path: output ?? "-")
            target = opened
            return opened
        }
        var failure: (any Error)?
        do {
            try forEachFile(files) { path in
                let image: SelectedImage
                do {
                    let bytes = try readInput(path, limit: decoder.options.limits.maxInputBytes)
                    image = try convertingDecodeError {
                        try SelectedImage(bytes, frame: frame, decoder: decoder, cancellation: cancellation())
                    }
                } catch let failure as Failure {
                    try statusLines?.write(DecodeStatusLine.text(of: failure, file: path))
                    throw failure
                }
                if let warning = warning(for: image.status) { printError("\(path): \(warning)") }
                if digest {
                    try opened().write("\(image.bitmap.digest)  \(path)\n")
                } else if !discardsPixels {
                    try outputFormat.write(image.bitmap, premultiplied: premultiplied, to: opened)
                }
                try statusLines?.write(DecodeStatusLine.text(of: image, file: path))
            }
        } catch let exit as ExitCode {
            failure = exit
        }
        try target?.commit()
        try statusLines?.commit()
        if let failure { throw failure }
    }

    /// Cancellation flag with the deadline for one file, counted from this call; `nil` without `--deadline`.
    private func cancellation() -> CancellationFlag? {
        guard let deadline else { return nil }
        let flag = CancellationFlag()
        // A deadline of 100 years is never reached; much larger values would overflow `Duration`.
        flag.setDeadline(.now + .seconds(min(deadline, 100 * 365 * 86_400)))
        return flag
    }

    private var options: DecodeOptions {
        var options = DecodeOptions(isStored: asStored, isStrict: strict, maxPixels: maxPixels)
        if let maxFrames { options.limits.maxFrames = maxFrames }
        return options
    }
}

/// JSON object, on one line, that `decode --status` writes for each input.
///
/// | key | value |
/// |---|---|
/// | `file` | the path as given on the command line |
/// | `status` | `complete`, `truncated`, `corrupt`, or `failed` when there are no pixels |
/// | `rows` | number of complete rows from the top of the stored image: all rows for `complete`; null for `corrupt` |
/// | `warnings` | stable codes such as `crc`: the causes of `corrupt`, and minor ones, which do not change the status |
/// | `error` | null, or the reason of `failed`: `code: message` |
enum DecodeStatusLine {
    static func text(of image: SelectedImage, file: String) -> String {
        switch image.status {
        case .complete: line(file, "complete", rows: image.header.height, image.minorWarnings)
        case .truncated(let rows): line(file, "truncated", rows: rows, image.minorWarnings)
        case .corrupt(let warnings):
            line(file, "corrupt", rows: nil, warnings + image.minorWarnings.filter { !warnings.contains($0) })
        }
    }

    static func text(of failure: Failure, file: String) -> String {
        line(file, "failed", rows: 0, [], error: failure.reason)
    }

    private static func line(
        _ file: String, _ status: String, rows: Int?, _ warnings: [DecodeWarning], error: String? = nil
    ) -> String {
        JSON.object([
            JSON.path("file", file), ("status", .string(status)), ("rows", .optional(rows)),
            ("warnings", .array(warnings.map { .string($0.description) })), ("error", .optional(error)),
        ]).text + "\n"
    }
}

extension Bitmap {
    /// SHA-256 of the straight RGBA rows in lower-case hex; colours under alpha 0 count as 0.
    fileprivate var digest: String {
        var hash = SHA256()
        forEachBand(.clearingTransparentPixels) { band in band.withUnsafeBytes { hash.update($0) } }
        return String(hexadecimal: hash.finalize())
    }
}
