import PlatformImage
import PlatformImageLoader
import PlatformImageService
import PlatformImageToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `imagetool serve`: serves thumbnails over HTTP.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves thumbnails over HTTP with the URLs of thumbor and of the IIIF Image API.",
        discussion: """
            A target is /{signature}/{options}/{source}. Signing keys are read from a file, one per line; signatures \
            of every key are accepted. Without a key, the service starts only with --unsafe; then every client can \
            render any source of the hosts of --allow. The service fetches only from hosts of --allow, and from IP \
            addresses of private networks only if --allow-cidr contains them.

            Most options set a configuration key. Keys can be set by options, --set, the environment \
            (IMAGETOOL_SERVER_PORT for server.port) and the file of --config, in this order of precedence. \
            --print-config prints all keys and their values.
            """)

    @Option(help: "IP address or host name to listen on. (default: 127.0.0.1)") var host: String?
    @Option(help: "Port to listen on; 0 selects a free port. (default: 8080)") var port: String?
    @Option(help: "Port for metrics and health on 127.0.0.1; 0 selects a free port, off disables it. (default: 9090)")
    var adminPort: String?
    @Option(help: "File with signing keys, one per line, 16 bytes or more each.") var keys: String?
    @Flag(help: "Accept unsigned targets that begin with /unsafe/.") var unsafe = false
    @Option(help: "Host that sources may be fetched from: a host name, *.example.com, or * for all; may be repeated.")
    var allow: [String] = []
    @Option(help: "Port that sources may be fetched from; may be repeated. (default: 80 and 443)") var allowPort:
        [String] = []
    @Option(help: "IP addresses, in CIDR notation, to allow although they are blocked by default; may be repeated.")
    var allowCidr: [String] = []
    @Option(help: "Root directory of file sources.") var files: String?
    @Flag(help: "Do not fetch sources over the network; allow only POST bodies and files.") var noFetch = false
    @Option(help: "Directory of the disk caches; without it, nothing is stored on disk.") var cacheDir: String?
    @Option(help: "Maximum total size of the results in memory; 0 disables this cache. (default: 128MiB or less)")
    var resultMemory: String?
    @Option(help: "Directory in which IIIF identifiers are file paths.") var iiifFiles: String?
    @Option(help: "URL prefix that ends with /, to which IIIF identifiers are appended.")
    var iiifPrefix: String?
    @Option(help: "Public base URL of the service, such as https://images.example.") var publicURL: String?
    @Option(help: "Number of concurrent renders; 0 means one per available processor. (default: 0)") var threads:
        String?
    @Option(help: "Decode in sandboxed worker processes: on or off. (default: on)") var isolation: String?
    @Option(help: "Path of imagetool-decoder. (default: next to imagetool)") var decoder: String?
    @Flag(help: "Add X-Cache and Server-Timing to responses.") var debugHeaders = false
    @Option(
        help: ArgumentHelp(
            "Show the images of a folder at /gallery, and the cache that each image came from.", valueName: "dir"))
    var gallery: String?
    @Option(help: "Configuration file in JSON.") var config: String?
    @Option(help: "Set a configuration key, as key=value; may be repeated.") var set: [String] = []
    @Flag(help: "Print every key with its value and the origin of the value, such as file or option, then exit.")
    var printConfig = false
    @Flag(help: "Print a Markdown table that describes all keys, then exit.") var describeConfig = false
    @Flag(help: "Log only errors.") var quiet = false

    func run() async throws {
        guard !describeConfig else { return try Output().write(ResolvedConfiguration.documentation) }
        limitAllocatorMemory(availableBytes: AvailableMemory().bytes)
        let lines = LogWriter()
        defer { lines.flush() }
        let resolved: ResolvedConfiguration
        let server: ThumbnailServer
        let log: ServiceLog
        do {
            resolved = try ResolvedConfiguration(
                options: try options(), environment: ProcessInfo.processInfo.environment, file: config)
            guard !printConfig else {
                for warning in resolved.warnings { printError("imagetool: \(warning)") }
                return try Output().write(resolved.report)
            }
            log = JSONLog.log(level: quiet ? .error : resolved.service.log.level.minimum, to: lines)
            logLibraries(to: log)
            for warning in resolved.warnings { log.write(.warning, warning) }
            var service = resolved.service
            if let gallery { try Self.addGallery(of: gallery, to: &service) }
            if let folder = service.cache.directory, isFileOrBelowFile(folder) {
                throw OutputFailure(folder, "cache.directory is not a directory")
            }
            server = try ThumbnailServer(service, log: log)
        } catch let error as ServiceError {
            throw ValidationError(error.message)
        }
        do {
            try await server.run { port in
                let host = resolved.service.server.host
                printError("imagetool: listening on \(host):\(port)")
                log.write(.info, "listening", [("host", .text(host)), ("port", .integer(port))])
                if gallery != nil { printError("imagetool: gallery at http://\(host):\(port)/gallery") }
            } onAdminListening: { port in
                let host = resolved.service.server.adminHost
                printError("imagetool: metrics and health on \(host):\(port)")
                log.write(.info, "metrics and health", [("host", .text(host)), ("port", .integer(port))])
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
            throw ValidationError("--gallery and source.fileRoot (--files) must name the same folder.")
        }
        configuration.source.fileRoot = folder
        let files = try listEntries(folder)
        // A target is text, so a name that is not UTF-8 has none.
        let paths = files.filter { $0.kind == .file && InputPaths.isDecodableName($0.path) && $0.path.isUTF8Path }
            .map(\.path)
        if paths.count < files.count {
            printError(
                "imagetool: the gallery leaves out \(files.count - paths.count) entries that are not files with the "
                    + "extension of an image that this build decodes")
        }
        if paths.count > maxGalleryCount {
            printError("imagetool: the gallery shows \(maxGalleryCount) of \(paths.count) images")
        }
        configuration.gallery = .init(images: paths.prefix(maxGalleryCount).map { .init(source: $0, name: $0) })
    }

    /// Logs the versions of the codec libraries, and a warning for each security fix that a library lacks.
    private func logLibraries(to log: ServiceLog) {
        guard log.isEnabled(.warning) else { return }
        let report = LibraryReport(InstalledLibrary.all())
        log.write(.info, "codec libraries", [("libraries", .list(report.libraries.map(\.description)))])
        for warning in report.warnings { log.write(.warning, warning) }
    }

    /// Command-line options as configuration keys and values.
    ///
    /// - Throws: `ServiceError` when two options set the same key, or when `--set` has no `=`, an unknown key or a
    ///   secret.
    private func options() throws(ServiceError) -> ConfigurationOptions {
        var options = ConfigurationOptions()
        let texts: [(key: String, text: String?)] = [
            ("server.host", host), ("server.port", port), ("server.publicURL", publicURL),
            ("server.adminPort", adminPort), ("signing.keysFile", keys),
            ("source.fileRoot", files), ("decode.threads", threads), ("cache.directory", cacheDir),
            ("decode.isolation", isolation), ("decode.decoder", decoder),
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
