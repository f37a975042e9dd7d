import Dispatch
import PlatformImage
import PlatformImageToolSupport
import Synchronization

/// `imagetool-bench isolation-compare`: verifies that decodes in worker processes and in this process are equal.
struct IsolationCompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "isolation-compare",
        abstract: "Decodes files in worker processes and in this process, and prints the differences.",
        discussion: """
            Compares the header, the pixels and status of the decode as displayed and as stored, of thumbnails, and of \
            up to 40 frames of animations, and the errors. Exit code 1 if a result differs or a worker ended.
            """)

    @Argument(help: "Image files.") var files: [String] = []
    @Flag(help: "Reads further paths from standard input, one per line.") var readsPaths = false
    @Option(help: "Path of imagetool-decoder; by default beside this program.") var decoder: String?
    @Option(help: "Number of threads and of workers.") var threads = 2
    @Flag(help: "Changes the first result of a worker for each file, which must be reported: a test of this command.")
    var plantDifference = false

    func validate() throws {
        if !(1...64).contains(threads) { throw ValidationError("--threads must be 1 to 64.") }
    }

    private struct Counts {
        var files = 0
        var operations = 0
        var errors = 0
        var differences: [String] = []
    }

    func run() throws {
        let output = try Output()
        var paths = files
        while readsPaths, let path = readLine() { paths.append(path) }
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = threads
        let workers = try DecodeWorkers(configuration)
        let next = Atomic(0)
        let counts = Mutex(Counts())
        DispatchQueue.concurrentPerform(iterations: threads) { [paths] _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < paths.count else { return }
                do {
                    let bytes = try readInput(paths[index], limit: 1 << 30)
                    var comparison = IsolationComparison(bytes, workers, isPlanted: plantDifference)
                    comparison.run()
                    counts.withLock { [comparison] in
                        $0.files += 1
                        $0.operations += comparison.operationCount
                        $0.errors += comparison.errorCount
                        $0.differences += comparison.differences.map { "\(paths[index]): \($0)" }
                    }
                } catch {
                    counts.withLock { $0.differences.append("\(paths[index]): \(error)") }
                }
            }
        }
        let result = counts.withLock { $0 }
        for difference in result.differences.sorted() { printError(difference) }
        let statistics = workers.statistics
        let ended = statistics.endedWorkers.filter { $0.key != .retired }
        for (reason, count) in ended.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            printError("workers ended, \(reason.rawValue): \(count)")
        }
        try output.write(
            "\(result.files) files, \(result.operations) results, of these \(result.errors) errors; "
                + "\(result.differences.count) differences; \(statistics.requests) requests to workers, "
                + "\(ended.values.reduce(0, +)) workers ended\n")
        if !result.differences.isEmpty || !ended.isEmpty { throw ExitCode(1) }
    }
}

/// The operations of one file, in workers and in this process.
private struct IsolationComparison {
    /// The comparable parts of a result.
    private enum Record: Equatable {
        case value(text: String, pixels: Bitmap?)
        case error(String)
    }

    private static let maxFrames = 40

    private let bytes: [UInt8]
    private let workers: DecodeWorkers
    private var isPlanted: Bool
    private(set) var operationCount = 0
    private(set) var errorCount = 0
    private(set) var differences: [String] = []

    init(_ bytes: [UInt8], _ workers: DecodeWorkers, isPlanted: Bool) {
        (self.bytes, self.workers, self.isPlanted) = (bytes, workers, isPlanted)
    }

    mutating func run() {
        let bytes = bytes
        compare("header") { (decoder) throws(DecodeError) in ("\(try decoder.header(of: bytes))", nil) }
        for (name, options) in [("decode", DecodeOptions()), ("as stored", .asStored), ("strict", .strict)] {
            compare(name, options) { (decoder) throws(DecodeError) in
                Self.parts(of: try decoder.decode(bytes))
            }
        }
        var cover = ThumbnailOptions(width: 90, height: 60, fit: .cover)
        cover.quality = .draft
        for size in [ThumbnailOptions(width: 128, height: 128), cover] {
            compare("thumbnail") { (decoder) throws(DecodeError) in
                Self.parts(of: try decoder.thumbnail(of: bytes, options: size))
            }
        }
        compareFrames()
    }

    private static func parts(of image: DecodedImage) -> (String, Bitmap?) {
        ("\(image.header) \(image.status)", image.bitmap)
    }

    private func decoder(_ isIsolated: Bool, _ options: DecodeOptions = DecodeOptions()) -> ImageDecoder {
        var decoder = ImageDecoder(options: options)
        if isIsolated { decoder.isolation = DecodeIsolation(workers) }
        return decoder
    }

    private mutating func compare(
        _ name: String, _ options: DecodeOptions = DecodeOptions(),
        _ operation: (ImageDecoder) throws(DecodeError) -> (String, Bitmap?)
    ) {
        let expected = Self.record { () throws(DecodeError) in try operation(decoder(false, options)) }
        let isolated = Self.record { () throws(DecodeError) in try operation(decoder(true, options)) }
        compare(name, isolated, expected)
    }

    private mutating func compare(_ name: String, _ isolated: Record, _ expected: Record) {
        operationCount += 1
        if case .error = expected { errorCount += 1 }
        var isolated = isolated
        if isPlanted {
            isPlanted = false
            isolated = .error("planted")
        }
        guard isolated != expected else { return }
        differences.append("\(name): \(Self.text(isolated)) in a worker, \(Self.text(expected)) in process")
    }

    private static func record(_ body: () throws(DecodeError) -> (String, Bitmap?)) -> Record {
        do throws(DecodeError) {
            let (text, pixels) = try body()
            return .value(text: text, pixels: pixels)
        } catch {
            return .error("\(error.format.map { "\($0)" } ?? "-") \(error)")
        }
    }

    private static func text(_ record: Record) -> String {
        switch record {
        case .error(let text): return "error \(text)"
        case .value(let text, let pixels):
            let sum = pixels?.copyBytes().reduce(0 as UInt64) { ($0 &* 31) &+ UInt64($1) }
            return "\(text.prefix(300)) \(sum.map { "pixels \($0)" } ?? "")"
        }
    }

    /// Compares frame by frame, so that two frames are in memory.
    private mutating func compareFrames() {
        let expected = Result { () throws(DecodeError) in try decoder(false).frames(of: bytes) }
        let isolated = Result { () throws(DecodeError) in try decoder(true).frames(of: bytes) }
        func opened(_ frames: Result<ImageFrames, DecodeError>) -> Record {
            Self.record { () throws(DecodeError) in ("\(try frames.get().header)", nil) }
        }
        compare("frames", opened(isolated), opened(expected))
        guard case .success(let local) = expected, case .success(let remote) = isolated else { return }
        for number in 0..<Self.maxFrames {
            func next(_ frames: ImageFrames) -> Record {
                Self.record { () throws(DecodeError) in
                    let frame = try frames.next()
                    return ("\(frame.map { "\($0.info)" } ?? "end") \(frames.status)", frame?.bitmap)
                }
            }
            let record = next(local)
            compare("frame \(number)", next(remote), record)
            guard case .value(_, .some) = record else { return }
        }
    }
}
