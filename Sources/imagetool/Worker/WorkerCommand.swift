import Dispatch
import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool worker`: provides programs in other languages with headers, pixels and thumbnails.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Answers requests for headers, pixels and thumbnails from stdin: one JSON object per line.",
        discussion: """
            Images are decoded in sandboxed processes. Docs/worker.md describes the requests and the answers. At the \
            end of stdin or on SIGTERM, the process answers the requests that it has read and exits with 0.
            """)

    @Option(name: .shortAndLong, help: "Number of concurrent requests; 0 means one per core.") var jobs = 0
    @Option(help: "Maximum number of requests that are read and not answered. (default: 4 per job)")
    var maxInFlight: Int?
    @Option(help: "Maximum number of bytes of inline inputs, and of results that are not written.")
    var maxBytesInFlight = 256 << 20
    @Flag(help: "Write the answers in the order of the requests.") var ordered = false
    @Option(help: "Folder that all paths are confined to; relative paths begin there.") var root: String?
    @Flag(help: "Allow requests to load URLs.") var allowUrl = false
    @Option(
        help: ArgumentHelp(
            """
            Host for --allow-url, for its default port, or host:port; may be repeated. Without this option, all hosts \
            with public addresses are allowed.
            """, valueName: "host"))
    var allowHost: [String] = []
    @Option(help: "IP addresses, in CIDR notation, to allow although they are blocked by default; may be repeated.")
    var allowCidr: [String] = []
    @OptionGroup var request: RequestFieldOptions
    @OptionGroup var isolation: IsolationOptions

    func validate() throws {
        if jobs < 0 || jobs > 1024 { throw ValidationError("--jobs must be 0 to 1024.") }
        if let maxInFlight, maxInFlight < 1 { throw ValidationError("--max-in-flight must be 1 or more.") }
        if maxBytesInFlight < 1 { throw ValidationError("--max-bytes-in-flight must be 1 or more.") }
        if !allowUrl, !(allowHost + allowCidr).isEmpty {
            throw ValidationError("--allow-host and --allow-cidr require --allow-url.")
        }
        if !allowUrl, request.userAgent != nil || !request.header.isEmpty {
            throw ValidationError("--user-agent and --header require --allow-url.")
        }
        if root == "" { throw ValidationError("--root must not be empty.") }
    }

    func run() async throws {
        let input = try await reportingFailure("stdin") { try LineInput() }
        let files = try await reportingFailure(root ?? "") { try WorkerFiles(root: root) }
        let limits = DecodeLimits()
        let output = WorkerOutput(isOrdered: ordered)
        let isolation = try isolation.start(workers: jobs, limits: limits, default: .on)
        let session = WorkerSession(
            isolation: isolation, files: files, sources: try sources(limits), output: output, jobs: jobs,
            maxInFlight: maxInFlight, maxBytes: maxBytesInFlight)
        let terminations = input.endOnTermination()
        defer { terminations.cancel() }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "imagetool.worker.input").async {
                session.run(input)
                continuation.resume()
            }
        }
        isolation.workers?.end()
        if let failure = input.failure { try await reportingFailure("stdin") { throw failure } }
        if input.end == .output || output.isClosed { throw ExitCode(SystemExit.ioError.rawValue) }
    }

    private func sources(_ limits: DecodeLimits) throws -> WorkerSources? {
        guard allowUrl else { return nil }
        let fields = try request.fields()
        do throws(LoadError) {
            return try WorkerSources(
                hosts: allowHost, addresses: allowCidr, maxBytes: limits.maxInputBytes, fields: fields,
                configure: request.apply)
        } catch {
            throw ValidationError("\(error.message).")
        }
    }
}
