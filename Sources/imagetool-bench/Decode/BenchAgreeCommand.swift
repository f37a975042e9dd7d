import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench agree`: verifies that the decoders of PlatformImage and the C libraries yield equal results.
struct BenchAgreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agree",
        abstract: "Compares the results of the decoders of PlatformImage with those of the C libraries, byte for byte.",
        discussion: """
            PNG, TIFF and JPEG: pixels, status, warnings and errors, in lenient and strict mode. GIF: the frames that \
            giflib can read. WebP: the pixels of intact images, and of the frames that libwebpdemux can read. Other \
            formats are skipped. Exit code 1 if a result differs. The libraries have no limits: use only trusted files.
            """)

    @Argument(help: "Image files.") var files: [String]

    func run() throws {
        let output = try Output()
        var (compared, images, different) = (0, 0, 0)
        try forEachFile(files) { path in
            let bytes = try readInput(path, limit: DecodeBenchmark.options.limits.maxInputBytes)
            switch DecoderAgreement.check(bytes) {
            case .agrees(let count):
                compared += 1
                images += count
            case .differs(let difference):
                compared += 1
                different += 1
                printError("\(path): \(difference)")
            case .notCompared: break
            }
        }
        try output.write("\(compared) files compared, \(images) images equal, \(different) files differ\n")
        if different > 0 { throw ExitCode(1) }
    }
}
