import PlatformImage
import PlatformImageLoader
import PlatformImageService
import PlatformImageToolSupport

/// `imagetool-bench gallery`: serves the page `/gallery` of the thumbnail service with drawn landscapes.
struct GalleryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gallery",
        abstract: "Shows thumbnails of 1,000 generated landscapes at /gallery, and the cache that each came from.",
        discussion: """
            An origin in the same process, the only allowed source, generates the landscapes. Targets need no \
            signature. `imagetool serve --gallery DIR` shows the images of a folder.
            """)

    /// Fixed port of the origin: cached results are keyed by source URL, so a restarted service finds them again.
    private static let originPort = 8_765

    @Option(help: "Port to listen on; 0 selects a free port.") var port = 8_080
    @Option(help: "Set a configuration key of the service, as key=value; may be repeated.")
    var set: [String] = []

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535.") }
    }

    func run() async throws {
        limitAllocatorMemory(availableBytes: AvailableMemory().bytes)
        let lines = LogWriter()
        defer { lines.flush() }
        let server: ThumbnailServer
        let origin: DemoServiceOrigin
        do {
            var options = ConfigurationOptions()
            try options.set("signing.unsafe", "on")
            try options.set("server.adminPort", "off")
            try options.set("server.port", String(port))
            for assignment in set { try options.set(assignment: assignment) }
            var service = try ResolvedConfiguration(options: options, environment: [:], file: nil).service
            origin = try await DemoServiceOrigin(port: Self.originPort)
            origin.allow(in: &service)
            service.gallery = origin.gallery
            server = try ThumbnailServer(service, log: JSONLog.log(level: .error, to: lines))
        } catch let error as ServiceError {
            throw ValidationError(error.message)
        }
        do {
            try await server.run { printError("imagetool: gallery at http://127.0.0.1:\($0)/gallery") }
        } catch let error as ServiceError {
            printError("imagetool: \(error.message)")
            throw ExitCode(SystemExit.ioError.rawValue)
        }
        await origin.stop()
    }
}
