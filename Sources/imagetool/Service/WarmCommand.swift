import PlatformImageLoader
import PlatformImageService
import PlatformImageToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `imagetool warm`: requests thumbnails in advance to fill the caches.
struct WarmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm",
        abstract: "Requests the targets of a list at a limited rate to fill the caches of a thumbnail service.",
        discussion: """
            The list contains one target or one URL of the server per line; empty lines and lines that begin with # \
            are ignored. Without --server, the command runs a service in this process, with the configuration of \
            --config and the environment, and fills its disk caches. Exit codes: 0 all responses have a status of \
            2xx, 1 otherwise.
            """)

    @Option(help: "File with one target per line; - reads stdin.") var urls: String
    @Option(help: "Base URL of a running service, such as http://127.0.0.1:8080.") var server: String?
    @Option(help: "Configuration file in JSON for the service that runs without --server.") var config: String?
    @Option(help: "Set a configuration key, as key=value; may be repeated.") var set: [String] = []
    @Option(help: "Maximum requests per second.") var rate = 20.0
    @Option(help: "Maximum number of concurrent requests.") var jobs = 4
    @Option(help: "Time limit for one request in seconds.") var timeout = 30.0
    @Flag(help: "Print one JSON object per target instead of a table.") var ndjson = false

    func validate() throws {
        guard rate > 0, rate <= 100_000 else {
            throw ValidationError("--rate must be greater than 0 and at most 100000 requests per second.")
        }
        guard (1...1_024).contains(jobs) else { throw ValidationError("--jobs must be 1 to 1024.") }
        guard timeout > 0, timeout <= 3_600 else {
            throw ValidationError("--timeout must be greater than 0 and at most 3600 seconds.")
        }
        guard server == nil || config == nil && set.isEmpty else {
            throw ValidationError("--server cannot be combined with --config or --set.")
        }
    }

    func run() async throws {
        let list = try await reportingFailure(urls) { try readList(urls) }
        let lines = WarmLine.list(list)
        let results: [WarmResult]
        if let server {
            let base = server.hasSuffix("/") ? String(server.dropLast()) : server
            results = try await warm(lines, base, Output())
        } else {
            results = try await withInProcessService { base in try await warm(lines, base, Output()) }
        }
        if !ndjson { try Output().write(WarmResult.table(results)) }
        guard results.allSatisfy(\.isSuccess) else { throw ExitCode(1) }
    }

    private func warm(_ lines: [WarmLine], _ base: String, _ output: Output) async throws -> [WarmResult] {
        let client = ServiceClient(timeout: .seconds(timeout), connections: jobs)
        let pace = Pace(perSecond: rate, start: .now)
        let work = lines.enumerated().map { (index: $0.offset, line: $0.element) }
        var results: [WarmResult] = []
        for await result in OrderedConcurrentMap(
            work, width: jobs, transform: { await $0.line.request(from: client, base, pace, $0.index) })
        {
            if let error = result.error { printError("\(urls):\(result.line): \(error)") }
            if ndjson { try output.write(result.json.text + "\n") }
            results.append(result)
        }
        return results
    }

    /// Runs a service on a loopback port while `body` runs; returns after the disk caches of the service are written.
    private func withInProcessService(
        _ body: @escaping @Sendable (String) async throws -> [WarmResult]
    ) async throws -> [WarmResult] {
        let service: ThumbnailServer
        let folder: String?
        do {
            var options = ConfigurationOptions()
            for assignment in set { try options.set(assignment: assignment) }
            let resolved = try ResolvedConfiguration(
                options: options, environment: ProcessInfo.processInfo.environment, file: config)
            for warning in resolved.warnings { printError("imagetool: \(warning)") }
            var configuration = resolved.service
            (configuration.server.host, configuration.server.port) = ("127.0.0.1", 0)
            configuration.server.adminPort = nil
            configuration.server.showsDebugFields = true
            folder = configuration.cache.directory
            service = try ThumbnailServer(configuration)
        } catch {
            throw ValidationError(error.message)
        }
        if let folder, isFileOrBelowFile(folder) {
            throw OutputFailure(folder, "cache.directory is not a directory")
        }
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: [WarmResult]?.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await service.run { port in ready.yield(port) }
                return nil
            }
            group.addTask {
                for await port in ports { return try await body("http://127.0.0.1:\(port)") }
                return nil
            }
            defer { group.cancelAll() }
            while let end = try await group.next() { if let end { return end } }
            throw ExitCode(1)
        }
    }
}
