import PlatformImageLoader
import PlatformImageService
import PlatformImageToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `imagetool health`: checks that a service responds, for example as a container health check.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Checks that a thumbnail service responds; exits with 0 if it does and with 1 otherwise.",
        discussion: """
            Without --url, /health/live of the service on this machine is requested. Its address is that of \
            server.host and server.port in the configuration of the service: options, the environment \
            (IMAGETOOL_SERVER_PORT) and the file of --config, in this order of precedence. For a service on all \
            addresses, such as 0.0.0.0, the loopback address is requested. /health/ready fails while the service \
            shuts down. The exit code is 0 for a status of 2xx and 1 for any other result.
            """)

    @Option(help: "URL to request.") var url: String?
    @Option(help: "IP address or host name of the service. (default: server.host, or 127.0.0.1 with --port)")
    var host: String?
    @Option(help: "Port of the service. (default: server.port, which is 8080 by default)") var port: Int?
    @Option(help: "Configuration file of the service in JSON.") var config: String?
    @Option(help: "Set a configuration key of the service, as key=value; may be repeated.") var set: [String] = []
    @Option(help: "Time limit for the response in seconds.") var timeout = 2.0

    func validate() throws {
        guard url == nil || port == nil else { throw ValidationError("--url and --port cannot be combined.") }
        guard url == nil || host == nil && config == nil && set.isEmpty else {
            throw ValidationError("--url cannot be combined with --host, --config and --set.")
        }
        guard (1...65_535).contains(port ?? 1) else { throw ValidationError("--port must be 1 to 65535.") }
        guard timeout > 0, timeout <= 3_600 else {
            throw ValidationError("--timeout must be greater than 0 and at most 3600 seconds.")
        }
    }

    func run() async throws {
        let url = try url ?? serviceURL()
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

    /// Returns the URL of the health check at the address of the configuration.
    ///
    /// - Throws: An exit code of 1 for a configuration that is invalid or has no fixed port.
    private func serviceURL() throws -> String {
        // With --port alone, no configuration is read, so that the call cannot fail for another reason.
        if let port, config == nil, set.isEmpty { return Self.url(host: host ?? "127.0.0.1", port) }
        do throws(ServiceError) {
            var options = ConfigurationOptions()
            for assignment in set { try options.set(assignment: assignment) }
            let server = try ResolvedConfiguration(
                options: options, environment: ProcessInfo.processInfo.environment, file: config, readsKeys: false
            ).service.server
            let port = port ?? server.port
            guard port > 0 else {
                throw ServiceError(.internalFault, "server.port is 0, a free port; --port or --url is required")
            }
            return Self.url(host: host ?? server.host, port)
        } catch {
            printError("imagetool: \(error.message)")
            throw ExitCode(1)
        }
    }

    /// Returns the URL of the health check.
    ///
    /// - Parameter host: Address that a service listens on, such as `0.0.0.0` or `::`.
    static func url(host: String, _ port: Int) -> String {
        let name =
            switch host {
            case "0.0.0.0", "*": "127.0.0.1"
            case "::", "[::]", "0:0:0:0:0:0:0:0": "[::1]"
            default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
        return "http://\(name):\(port)/health/live"
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
