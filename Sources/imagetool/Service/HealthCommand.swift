import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool health`: checks that a service responds, for example as a container health check.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Checks that a thumbnail service responds; exits with 0 if it does and with 1 otherwise.",
        discussion: """
            Without --url, http://127.0.0.1:PORT/health/live is requested. /health/ready fails while the service shuts \
            down. The exit code is 0 for a status of 2xx and 1 for any other result.
            """)

    @Option(help: "URL to request.") var url: String?
    @Option(help: "Port on the loopback interface. (default: 8080)") var port: Int?
    @Option(help: "Time limit for the response in seconds.") var timeout = 2.0

    func validate() throws {
        guard url == nil || port == nil else { throw ValidationError("--url and --port cannot be combined.") }
        guard (1...65_535).contains(port ?? 1) else { throw ValidationError("--port must be 1 to 65535.") }
        guard timeout > 0, timeout <= 3_600 else {
            throw ValidationError("--timeout must be greater than 0 and at most 3600 seconds.")
        }
    }

    func run() async throws {
        let url = url ?? "http://127.0.0.1:\(port ?? 8080)/health/live"
        do {
            let status = try await ServiceClient(timeout: .seconds(timeout)).get(url).status
            guard (200...299).contains(status) else {
                printError("\(url): the response status is \(status)")
                throw ExitCode(1)
            }
        } catch let error as LoadError {
            printError("\(url): \(error.code): \(error.message)")
            throw ExitCode(1)
        }
    }
}

/// HTTP client for a thumbnail service; uses no proxy, cache, redirects or retries.
struct ServiceClient: Sendable {
    /// A response. Its body is discarded; `bytes` is the length of the body.
    struct Response: Sendable {
        let status: Int
        /// Value of `X-Cache`; `nil` when the response has none.
        let cache: String?
        let bytes: Int
    }

    private let transport: CurlTransport
    private let timeouts: TransportTimeouts

    init(timeout: Duration, connections: Int = 1) {
        transport = CurlTransport(proxy: .none, connectionsPerHost: connections)
        var timeouts = TransportTimeouts()
        (timeouts.connect, timeouts.idle, timeouts.total) = (timeout, timeout, timeout)
        self.timeouts = timeouts
    }

    /// Sends a GET request and reads the response body to its end.
    ///
    /// - Throws: The errors of the transport.
    func get(_ url: String) async throws -> Response {
        let request = HTTPRequest(url: url, fields: ["User-Agent": "imagetool"])
        let response = try await transport.send(request, trust: TrustSettings(), timeouts: timeouts)
        var bytes = 0
        for try await chunk in response.body { bytes += chunk.count }
        let cache = response.head.fields["X-Cache"].map { String(decoding: $0, as: UTF8.self) }
        return Response(status: response.head.status, cache: cache, bytes: bytes)
    }
}
