#if Tool && Service
import ArgumentParser
import Foundation
import Loader
import Logging
import ThumbnailService

/// `imagetool serve`: thumbnails over HTTP.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves thumbnails over HTTP, at the addresses of thumbor and of the IIIF Image API.",
        discussion: """
            A target is /{signature}/{options}/{source}. Keys come from a file, one a line: the first signs, all verify. \
            Without a key the service starts only with --unsafe, which anybody may then use to render anything that \
            --allow lets through. Nothing is fetched from a host that --allow does not name, and never from an address \
            of a private network unless --allow-cidr names its range.
            """)

    @Option(help: "Address to listen on.") var host = "127.0.0.1"
    @Option(help: "Port to listen on; 0 for any.") var port = 8080
    @Option(help: "File of signing keys, one a line.") var keys: String?
    @Flag(help: "Accept targets that begin with /unsafe/.") var unsafe = false
    @Option(help: "Host that sources may come from: a name, *.example.com, or * for all; may be repeated.")
    var allow: [String] = []
    @Option(help: "Port that may be connected to; may be repeated. 80 and 443 by default.") var allowPort: [Int] = []
    @Option(help: "Address range in CIDR form that may be connected to although it is blocked; may be repeated.")
    var allowCidr: [String] = []
    @Option(help: "Folder of sources that are files.") var files: String?
    @Flag(help: "Fetch nothing: bodies of POST requests and files alone.") var noFetch = false
    @Option(help: "Folder of the disk caches; nothing is kept on disk without it.") var cacheDir: String?
    @Option(help: "Bytes of results in memory; 0 keeps none there.") var resultMemory = 128 << 20
    @Option(help: "Folder in which identifiers of IIIF name files.") var iiifFiles: String?
    @Option(help: "What is put before an identifier of IIIF to make an address.") var iiifPrefix: String?
    @Option(help: "What clients reach the service under, such as https://images.example.") var publicURL: String?
    @Option(help: "Renders at once; 0 means one per core.") var threads = 0
    @Flag(help: "Add X-Cache and Server-Timing to answers.") var debugHeaders = false
    @Flag(help: "Log nothing but errors.") var quiet = false

    func validate() throws {
        guard (0...65_535).contains(port), allowPort.allSatisfy({ (1...65_535).contains($0) }), resultMemory >= 0,
            (0...1_024).contains(threads)
        else { throw ValidationError("--port is 0 to 65535, --allow-port 1 to 65535, --threads 0 to 1024.") }
    }

    func run() async throws {
        let isQuiet = quiet
        var logger = Logger(label: "imagetool.serve") { _ in JSONLogHandler() }
        logger.logLevel = isQuiet ? .error : .info
        let server: ThumbnailServer
        do {
            server = try ThumbnailServer(try settings(), logger: logger)
        } catch let error as ServiceError {
            throw ValidationError(error.message)
        }
        try await server.run { port in
            printError("imagetool: listening on \(host):\(port)")
        }
    }

    private func settings() throws -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        configuration.server.host = host
        configuration.server.port = port
        configuration.server.publicURL = publicURL
        configuration.server.showsDebugFields = debugHeaders
        configuration.signing.allowsUnsafe = unsafe
        if let keys { configuration.signing.keys = try signingKeys(inFile: keys) }
        configuration.source.fetches = !noFetch
        configuration.source.allow = allow
        if !allowPort.isEmpty { configuration.source.ports = Set(allowPort) }
        configuration.source.allowedRanges = allowCidr
        configuration.source.fileRoot = files
        configuration.limits.threads = threads
        configuration.cache.directory = cacheDir
        configuration.cache.resultMemory = resultMemory
        if iiifFiles != nil || iiifPrefix != nil {
            configuration.iiif = .init(urlPrefix: iiifPrefix, fileRoot: iiifFiles)
        }
        return configuration
    }
}

/// The keys in a file, one a line; empty lines do not count.
func signingKeys(inFile path: String) throws -> [[UInt8]] {
    let bytes = try readInput(path, limit: 1 << 20)
    return bytes.split(separator: UInt8(ascii: "\n")).map { line in
        line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line)
    }.filter { !$0.isEmpty }
}
#endif
