#if Tool && AsyncHTTPClient
import ArgumentParser
import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool load`: loads images from URLs through the caches.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads pictures over http and https, through memory and disk, and prints what came of each.",
        discussion: """
            Exit codes: 0 all loaded, 64 no address of http or https, 65 no picture or one of an unwanted kind, 66 \
            the origin or the cache has none, 74 the network failed or a file could not be written, 77 refused by a \
            limit; with several addresses 1 if any of them failed.
            """)

    @Argument(help: "Addresses.") var urls: [String]
    @Option(name: .customShort("o"), help: "Folder for the files as they came; made when it is missing.")
    var folder: String?
    @Option(help: "Folder of the disk cache; the user's by default.") var cacheDir: String?
    @Flag(help: "Print one JSON array.") var json = false
    @Option(name: .customLong("repeat"), help: "Load everything so many times, one time after the other.")
    var rounds = 1
    @Option(
        help: "default, revalidate, reload, cacheElseLoad or cacheOnly.",
        transform: { name in
            guard let policy = CachePolicy(rawValue: name) else { throw ValidationError("no policy '\(name)'") }
            return policy
        })
    var policy = CachePolicy.default

    func validate() throws {
        guard (1...1_000_000).contains(rounds) else { throw ValidationError("--repeat is 1 to 1000000.") }
        if cacheDir?.isEmpty == true { throw ValidationError("--cache-dir must name a folder.") }
    }

    func run() async throws {
        let output = try Output()
        let files = try folder.map { try LoadedFiles(folder: $0) }
        let loader = try makeLoader()
        var rows: [LoadRow] = []
        var failed: [String: SystemExit] = [:]
        var progress = Progress("loading", total: urls.count * rounds)
        var bytes = 0
        progress.show(0)
        for round in 0..<rounds {
            for await (url, outcome, milliseconds) in OrderedConcurrentMap(urls, transform: { await timed($0, loader) })
            {
                var row = LoadRow(url, outcome, milliseconds: milliseconds)
                if let files, round == 0, let image = outcome.image {
                    row.file = try files.write(outcome.bytes, from: url, image.header.format)
                }
                if outcome.image == nil, let error = outcome.error {
                    failed[url] = failed[url] ?? SystemExit(error)
                    progress.clear()
                    printError("\(row.url): \(error.code): \(error.message)")
                }
                rows.append(row)
                bytes += outcome.bytes.count
                progress.show(rows.count, "\(fixed(Double(bytes) / 1e6, digits: 1)) MB")
            }
        }
        progress.clear()
        await loader.flush()
        try output.write(json ? JSON.lines(rows.map { $0.json(hasFiles: files != nil) }) : LoadRow.table(rows))
        guard let code = urls.lazy.compactMap({ failed[$0] }).first else { return }
        throw ExitCode(Set(urls).count == 1 ? code.rawValue : 1)
    }

    private func makeLoader() throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.cacheImagesInMemory = true
        configuration.retainsEncodedData = true
        configuration.acceptedContentTypes = [.anyImage]
        if let cacheDir { configuration.cacheDirectory = cacheDir }
        configuration.dataDirectory = nil
        return try ImageLoader(configuration: configuration, transport: AsyncHTTPClientTransport())
    }

    private func timed(_ url: String, _ loader: ImageLoader) async -> (String, LoadOutcome, Double) {
        let start = ContinuousClock.now
        let outcome = await loader.outcome(of: ImageRequest(url: url, policy: policy))
        return (url, outcome, (ContinuousClock.now - start) / .milliseconds(1))
    }
}

extension SystemExit {
    /// Exit code for a failed load.
    init(_ error: LoadError) {
        self =
            switch error.original ?? error.code {
            case .invalidURL, .unsupportedScheme, .configuration: .usage
            case .undecodable, .unsupportedFormat, .unacceptableContentType: .dataError
            case .http, .unexpectedStatus, .notInCache, .remembered: .noInput
            case .transport, .tls, .redirect: .ioError
            case .bodyTooLarge, .pixelLimit: .refused
            default: .software
            }
    }
}

extension ContentType {
    /// `image/*`: every response whose content type is an image.
    static var anyImage: Self {
        guard let type = Self("image/*") else { preconditionFailure("image/* is a content type") }
        return type
    }
}
#endif
