#if Tool
import ArgumentParser
import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench agree`: verifies that the fast decoders and the plain libraries yield equal results.
struct BenchAgreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agree",
        abstract: "Decodes PNG and GIF files by the quick ways and by the plain libraries, and compares byte for byte.",
        discussion: """
            Of a PNG: pixels, status, warnings and errors, of stills and frames, lenient and strict, against libpng \
            alone. Of a GIF: the frames, as far as giflib reads them. Others are passed over. Exit code 1 when \
            something differs. giflib checks no limits: give it files you trust.
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
            case .differs(let what):
                compared += 1
                different += 1
                printError("\(path): \(what)")
            case .notCompared: break
            }
        }
        try output.write("\(compared) files compared, \(images) pictures equal, \(different) files differ\n")
        if different > 0 { throw ExitCode(1) }
    }
}
#endif
