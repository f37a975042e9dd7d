#if Tool && Service
import ArgumentParser
import Foundation
import Logging
import PlatformImage
import PlatformImageLoader
import PlatformImageService
import PlatformImageToolSupport

/// `imagetool serve`: serves thumbnails over HTTP.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves thumbnails over HTTP, at the addresses of thumbor and of the IIIF Image API.",
        discussion: """
            A target is /{signature}/{options}/{source}. Keys come from a file, one a line: the first signs, all verify. \
            Without a key the service starts only with --unsafe, which anybody may then use to render anything that \
            --allow lets through. Nothing is fetched from a host that --allow does not name, and never from an address \
            of a private network unless --allow-cidr names its range.

            Every option has a key, and every key can be set by --set, by the environment (IMAGETOOL_SERVER_PORT for \
            server.port) and by the file of --config, which count in this order. --print-config shows all of them.
            """)

    @Option(help: "Address to listen on. (default: 127.0.0.1)") var host: String?
    @Option(help: "Port to listen on; 0 for any. (default: 8080)") var port: String?
    @Option(help: "Port of metrics and health on 127.0.0.1; 0 for any, off for none. (default: 9090)")
    var adminPort: String?
    @Option(help: "File of signing keys, one a line, each 16 bytes or more.") var keys: String?
    @Flag(help: "Accept targets that begin with /unsafe/.") var unsafe = false
    @Option(help: "Host that sources may come from: a name, *.example.com, or * for all; may be repeated.")
    var allow: [String] = []
    @Option(help: "Port that may be connected to; may be repeated. 80 and 443 by default.") var allowPort: [String] = []
    @Option(help: "Address range in CIDR form that may be connected to although it is blocked; may be repeated.")
    var allowCidr: [String] = []
    @Option(help: "Folder of sources that are files.") var files: String?
    @Flag(help: "Fetch nothing: bodies of POST requests and files alone.") var noFetch = false
    @Option(help: "Folder of the disk caches; nothing is kept on disk without it.") var cacheDir: String?
    @Option(help: "Bytes of results in memory; 0 keeps none there. (default: 128MiB)") var resultMemory: String?
    @Option(help: "Folder in which identifiers of IIIF name files.") var iiifFiles: String?
    @Option(help: "Put before an identifier of IIIF: an address that has a host and ends with /.")
    var iiifPrefix: String?
    @Option(help: "What clients reach the service under, such as https://images.example.") var publicURL: String?
    @Option(help: "Renders at once; 0 means one per available processor. (default: 0)") var threads: String?
    @Flag(help: "Add X-Cache and Server-Timing to answers.") var debugHeaders = false
    @Option(
        help: ArgumentHelp(
            "Show the pictures of a folder at /gallery, with where each came from.", valueName: "dir"))
    var gallery: String?
    @Option(help: "File of the configuration in JSON.") var config: String?
    @Option(help: "Give a key of the configuration a value, key=value; may be repeated.") var set: [String] = []
    @Flag(help: "Print every key with its value and its origin, and serve nothing.") var printConfig = false
    @Flag(help: "Print what all keys mean, a table in Markdown, and serve nothing.") var describeConfig = false
    @Flag(help: "Log nothing but errors.") var quiet = false

    func run() async throws {
        guard !describeConfig else { return try Output().write(ResolvedConfiguration.documentation) }
        limitAllocatorMemory()
        let lines = LogWriter()
        defer { lines.flush() }
        let resolved: ResolvedConfiguration
        let server: ThumbnailServer
        do {
            resolved = try ResolvedConfiguration(
                options: try options(), environment: ProcessInfo.processInfo.environment, file: config)
            guard !printConfig else {
                for warning in resolved.warnings { printError("imagetool: \(warning)") }
                return try Output().write(resolved.report)
            }
            let isQuiet = quiet
            var logger = Logger(label: "imagetool.serve") { _ in JSONLogHandler(lines: lines) }
            logger.logLevel = isQuiet ? .error : .info
            logLibraries(to: logger)
            for warning in resolved.warnings { logger.warning("\(warning)") }
            var service = resolved.service
            if let gallery { try Self.addGallery(of: gallery, to: &service) }
            server = try ThumbnailServer(service, logger: logger)
        } catch let error as ServiceError {
            throw ValidationError(error.message)
        }
        do {
            try await server.run { port in
                let host = resolved.service.server.host
                printError("imagetool: listening on \(host):\(port)")
                if gallery != nil { printError("imagetool: gallery at http://\(host):\(port)/gallery") }
            } onAdminListening: { port in
                printError("imagetool: metrics and health on 127.0.0.1:\(port)")
            }
        } catch let error as ServiceError {
            printError("imagetool: \(error.message)")
            throw ExitCode(SystemExit.ioError.rawValue)
        }
    }

    /// Largest number of images on the page `/gallery`.
    private static let maxGalleryCount = 1_000

    /// Adds the page `/gallery` with the images of a folder.
    ///
    /// - Throws: `ValidationError` when `source.fileRoot` names another folder; ``Failure`` when the folder cannot be
    ///   listed.
    private static func addGallery(of folder: String, to configuration: inout ServiceConfiguration) throws {
        guard configuration.source.fileRoot == nil || configuration.source.fileRoot == folder else {
            throw ValidationError("--gallery DIR and --files name two folders.")
        }
        configuration.source.fileRoot = folder
        let paths = try listFiles(folder).filter(InputPaths.isImageName)
        if paths.count > maxGalleryCount {
            printError("imagetool: the gallery shows \(maxGalleryCount) of \(paths.count) pictures")
        }
        configuration.gallery = .init(images: paths.prefix(maxGalleryCount).map { .init(source: $0, name: $0) })
    }

    /// Logs the versions of the codec libraries, and a warning for each security fix that one lacks.
    private func logLibraries(to logger: Logger) {
        guard logger.logLevel <= .warning else { return }
        let report = LibraryReport(CodecLibrary.all())
        logger.info(
            "codec libraries",
            metadata: ["libraries": .array(report.libraries.map { .string($0.description) })])
        for warning in report.warnings { logger.warning("\(warning)") }
    }

    /// Command-line options as configuration keys and values.
    ///
    /// - Throws: `ServiceError` when two options set the same key.
    private func options() throws(ServiceError) -> ConfigurationOptions {
        var options = ConfigurationOptions()
        let texts: [(key: String, text: String?)] = [
            ("server.host", host), ("server.port", port), ("server.publicURL", publicURL),
            ("server.adminPort", adminPort), ("signing.keysFile", keys),
            ("source.fileRoot", files), ("decode.threads", threads), ("cache.directory", cacheDir),
            ("cache.resultMemory", resultMemory), ("signing.unsafe", unsafe ? "on" : nil),
            ("source.fetch", noFetch ? "off" : nil), ("server.debugHeaders", debugHeaders ? "on" : nil),
        ]
        for (key, text) in texts { if let text { try options.set(key, text) } }
        let lists: [(key: String, texts: [String])] = [
            ("source.allow", allow), ("source.ports", allowPort), ("source.allowCIDR", allowCidr),
            ("iiif.map", [iiifFiles.map { "file:" + $0 }, iiifPrefix].compactMap { $0 }),
        ]
        for (key, texts) in lists where !texts.isEmpty { try options.set(key, texts) }
        for assignment in set { try options.set(assignment: assignment) }
        return options
    }
}
#endif
