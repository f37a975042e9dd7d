#if Tool && Service
import ArgumentParser
import Logging
import PlatformImageService
import PlatformImageToolSupport

/// `imagetool-bench demo-service`: runs the thumbnail service against a local origin and verifies its responses.
struct DemoServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-service",
        abstract: "Starts an origin and the thumbnail service on free ports, asks for targets of both dialects, twice.",
        discussion: """
            Prints a table of what came of each, and exits with 1 when an answer is not what it must be. On a terminal \
            it then serves on, with the gallery, until Ctrl-C; elsewhere it ends after the table.
            """)

    @Option(help: "Port to listen on; 0 for any that is free.") var port = 0
    @Flag(help: "End after the table.") var once = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    }

    func run() async throws {
        let output = try Output()
        let deviations = try await withTemporaryFolder("demo") { folder in
            let origin = try await DemoServiceOrigin()
            let deviations = try await serve(origin, folder, output)
            await origin.stop()
            return deviations
        }
        for deviation in deviations { printError("demo-service: \(deviation)") }
        if !deviations.isEmpty { throw ExitCode(1) }
    }

    /// Runs the service for the table; on a terminal it keeps running until the process is interrupted.
    private func serve(_ origin: DemoServiceOrigin, _ folder: String, _ output: Output) async throws -> [String] {
        let key = (0..<SigningKeys.minKeyBytes).map { _ in UInt8.random(in: .min ... .max) }
        let server = try ThumbnailServer(settings(origin, folder, key), logger: Self.logger)
        let requests = DemoServiceRequest.all(origin, try SigningKeys([key]))
        let keepsServing = !once && Terminal.isInput
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await server.run { ready.yield($0) }
            }
            defer { group.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.next()
                return ["the service did not begin to listen"]
            }
            let address = "http://127.0.0.1:\(port)"
            var table = DemoServiceTable()
            for request in requests { try await table.add(request, from: address) }
            try output.write(table.text + "\n")
            if keepsServing {
                try output.write("gallery of \(DemoServiceOrigin.count) pictures: \(address)/gallery\nCtrl-C ends it\n")
                try await group.next()
            } else {
                try output.write(
                    """
                    the gallery was at \(address)/gallery; on a terminal and without --once it stays,
                    and so it does with: imagetool-bench gallery

                    """)
            }
            return table.deviations
        }
    }

    private func settings(_ origin: DemoServiceOrigin, _ folder: String, _ key: [UInt8]) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        configuration.server.port = port
        configuration.server.adminPort = nil
        configuration.signing.keys = [key]
        origin.allow(in: &configuration)
        configuration.iiif = .init(urlPrefix: origin.url("landscape/"))
        configuration.cache.directory = folder
        configuration.gallery = origin.gallery
        return configuration
    }

    private static var logger: Logger {
        var logger = Logger(label: "imagetool.demo-service") { _ in JSONLogHandler() }
        // The server logs its cancellation after the table as an error.
        logger.logLevel = .critical
        return logger
    }
}
#endif
