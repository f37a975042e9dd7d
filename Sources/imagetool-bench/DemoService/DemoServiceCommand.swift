import PlatformImageService
import PlatformImageToolSupport

/// `imagetool-bench demo-service`: runs the thumbnail service against a local origin and verifies its responses.
struct DemoServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-service",
        abstract: "Runs the thumbnail service with a local origin and requests thumbor and IIIF targets, each twice.",
        discussion: """
            Prints a table of the responses; the exit code is 1 if a response differs from the expected response. On a \
            terminal, the service and its gallery then keep running until Ctrl-C; otherwise, the command ends after \
            printing the table.
            """)

    @Option(help: "Port to listen on; 0 selects a free port.") var port = 0
    @Flag(help: "Exit after printing the table.") var once = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535.") }
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

    /// Runs the service, sends the requests and prints the table of responses. On a terminal, without `--once`, the
    /// service then keeps running until the process is interrupted.
    ///
    /// - Returns: Deviations from the expected responses.
    private func serve(_ origin: DemoServiceOrigin, _ folder: String, _ output: Output) async throws -> [String] {
        let key = (0..<SigningKeys.minKeyBytes).map { _ in UInt8.random(in: .min ... .max) }
        let server = try ThumbnailServer(settings(origin, folder, key))
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
                return ["the service did not start listening"]
            }
            let address = "http://127.0.0.1:\(port)"
            var table = DemoServiceTable()
            for request in requests { try await table.add(request, from: address) }
            try output.write(table.text + "\n")
            if keepsServing {
                try output.write(
                    "gallery of \(DemoServiceOrigin.count) images: \(address)/gallery\npress Ctrl-C to stop\n")
                try await group.next()
            } else {
                try output.write(
                    """
                    the gallery was at \(address)/gallery; without --once, the gallery keeps running on a terminal;
                    to start only the gallery, run: imagetool-bench gallery

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
        configuration.output.negotiates = true
        configuration.iiif = .init(urlPrefix: origin.url("landscape/"))
        configuration.cache.directory = folder
        configuration.gallery = origin.gallery
        return configuration
    }
}
