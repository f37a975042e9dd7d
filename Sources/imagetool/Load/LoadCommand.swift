import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// `imagetool load`: loads images from URLs through the caches.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Loads images over HTTP and HTTPS through the caches and prints the result of each load.",
        discussion: """
            Decodes in this process, not in isolated decode workers.

            Exit codes: 0 all images loaded, 64 not an http or https URL, 65 not an image or an unaccepted content \
            type, 66 not found at the origin or in the cache, 74 the network or writing a file failed or --cache-dir \
            cannot be used, 77 rejected by a limit; with several URLs, 1 if any load failed.
            """)

    @Argument(help: "http or https URLs of images.") var urls: [String]
    @Option(
        name: .customShort("o"), help: "Folder to write the downloaded files to; a missing folder is created.")
    var folder: String?
    @Option(help: "Folder of the disk cache; by default a folder in the cache folder of the user.") var cacheDir:
        String?
    @Flag(help: "Print one JSON array.") var json = false
    @Option(name: .customLong("repeat"), help: "Number of rounds, each of which loads all URLs.")
    var rounds = 1
    @Option(
        help: "Cache policy: default, revalidate, reload, cacheElseLoad or cacheOnly.",
        transform: { name in
            guard let policy = CachePolicy(rawValue: name) else {
                throw ValidationError("unknown cache policy '\(name)'")
            }
            return policy
        })
    var policy = CachePolicy.default
    @OptionGroup var request: RequestFieldOptions

    func validate() throws {
        guard (1...1_000_000).contains(rounds) else { throw ValidationError("--repeat must be 1 to 1000000.") }
        if cacheDir?.isUTF8Path == false { throw ValidationError("--cache-dir must be UTF-8.") }
        if cacheDir?.isEmpty == true { throw ValidationError("--cache-dir must not be empty.") }
    }

    func run() async throws {
        let output = try Output()
        let files = try folder.map { try LoadedFiles(folder: $0) }
        let loader = try makeLoader()
        let fields = try request.fields()
        var rows: [LoadRow] = []
        var failed: [String: SystemExit] = [:]
        var progress = Progress("loading", total: urls.count * rounds)
        var bytes = 0
        progress.show(0)
        for round in 0..<rounds {
            let results = OrderedConcurrentMap(urls) { await timed($0, fields, loader) }
            for await (url, outcome, milliseconds) in results {
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
        if let cacheDir {
            if let problem = DiskCache.problem(ofDirectory: cacheDir) {
                throw OutputFailure(cacheDir, "--cache-dir cannot be used: \(problem)")
            }
            configuration.cacheDirectory = cacheDir
        }
        configuration.dataDirectory = nil
        request.apply(to: &configuration)
        return try ImageLoader(configuration: configuration, transport: CurlTransport())
    }

    private func timed(_ url: String, _ fields: HeaderFields, _ loader: ImageLoader) async -> (
        String, LoadOutcome, Double
    ) {
        let start = ContinuousClock.now
        let outcome = await loader.outcome(of: ImageRequest(url: url, fields: fields, policy: policy))
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
        guard let type = Self("image/*") else { preconditionFailure("image/* is not a valid content type") }
        return type
    }
}
