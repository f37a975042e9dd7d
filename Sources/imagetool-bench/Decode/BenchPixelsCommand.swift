import PlatformImage
import PlatformImageBenchmarking
import PlatformImageToolSupport

/// `imagetool-bench pixels`: measures pixel operations for `Scripts/bench/pixels`, which compares them with Pillow.
struct BenchPixelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pixels",
        abstract: "Measures a pixel operation, and a loop in C, for each line of standard input.",
        discussion: """
            For scripts that measure another program in alternation. A line contains an operation and a number of \
            calls; the answer is the CPU time per call in nanoseconds, of PlatformImage and of the C loop. FILE and \
            --above contain rows of RGBA with straight alpha. Operations: \
            \(PixelOperation.allCases.map(\.rawValue).joined(separator: ", ")).
            """)

    @Argument(help: "File of RGBA pixels, width * height * 4 bytes.") var file: String
    @Option(help: "Size of the images in pixels, WIDTHxHEIGHT.") var size: String
    @Option(help: "File of RGBA pixels of the same size, for composite.") var above: String
    @Option(name: [.short, .long], help: "Folder for the result of each operation, written after its first line.")
    var output: String?

    func run() throws {
        warnIfDebugBuild()
        let bitmap = try Self.bitmap(file, size)
        let aboveBitmap = try Self.bitmap(above, size)
        let output = try Output()
        var written: Set<PixelOperation> = []
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count == 2, let operation = PixelOperation(rawValue: String(words[0])),
                let count = Int(words[1]),
                (1...1_000_000).contains(count)
            else { throw ValidationError("\(line) is not an operation and a number of calls.") }
            if let folder = self.output, written.insert(operation).inserted {
                let result = try convertingDecodeError { try operation.result(of: bitmap, below: aboveBitmap) }
                let target = try Output(path: "\(folder)/\(operation.rawValue)")
                try target.write(result.span)
                try target.commit()
            }
            let times = try convertingDecodeError {
                try operation.times(bitmap, below: aboveBitmap, count: count)
            }
            let (ours, baseline) = (times.ours.cpu / Double(count), times.baseline.cpu / Double(count))
            try output.write("\(Int(ours)) \(Int(baseline))\n")
        }
    }

    private static func bitmap(_ path: String, _ size: String) throws -> Bitmap {
        let (width, height) = try BenchResizeCommand.size(size)
        let bytes = try convertingDecodeError { () throws(Failure) in try readList(path) }
        return try convertingDecodeError {
            try Bitmap(width: width, height: height, bytes: bytes, layout: .rgba, limits: .unlimited)
        }
    }
}
