import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench resize`: measures the resampler of this library for `Scripts/bench/resize`, which compares it with
/// Pillow.
struct BenchResizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resize",
        abstract: "Resizes the image in FILE for each line of standard input and prints each CPU time in nanoseconds.",
        discussion: """
            For scripts that measure another program in alternation. FILE contains rows of RGBA with straight alpha; \
            at the end of standard input, the last result is written to --output in the format of FILE.
            """)

    @Argument(help: "File of RGBA pixels, width * height * 4 bytes.") var file: String
    @Option(help: "Size of the image in FILE in pixels, WIDTHxHEIGHT.") var from: String
    @Option(help: "Size of the result in pixels, WIDTHxHEIGHT.") var to: String
    @Option(help: "Resampling filter: nearest, box, triangle, mitchell or lanczos3.", transform: parseChoice)
    var filter = ResampleFilter.lanczos3
    @Flag(help: "Resample in linear light instead of sRGB values.") var linear = false
    @Option(name: [.short, .long], help: "Output file of RGBA pixels.") var output: String

    func run() throws {
        warnIfDebugBuild()
        let (source, size) = (try Self.size(from), try Self.size(to))
        let bytes = try convertingDecodeError { () throws(Failure) in try readList(file) }
        guard bytes.count == source.width * source.height * 4 else {
            throw ValidationError("\(file) has \(bytes.count) bytes, expected \(from) pixels of 4 bytes.")
        }
        let bitmap = Bitmap(width: source.width, height: source.height) { pixels in
            for index in bytes.indices { pixels[index] = bytes[index] }
        }
        let output = try Output()
        var result: Bitmap?
        while readLine() != nil {
            let elapsed = try convertingDecodeError {
                try Elapsed.time {
                    result = try bitmap.resized(
                        width: size.width, height: size.height, filter: filter, linearLight: linear)
                }
            }
            try output.write("\(Int(elapsed.cpu))\n")
        }
        guard let result else { return }
        let target = try Output(path: self.output)
        try result.withBytes { (bytes) throws(OutputFailure) in try target.write(bytes) }
        try target.commit()
    }

    static func size(_ text: String) throws -> (width: Int, height: Int) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (1...65_535).contains(width),
            (1...65_535).contains(height)
        else { throw ValidationError("\(text) is not WIDTHxHEIGHT with sides of 1 to 65535 pixels.") }
        return (width, height)
    }
}
