import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Every configuration key of Docs/service-configuration.md, read from every source.
@Suite struct ConfigurationKeyTests {
    /// A non-default value of each key, as written in the environment and in the report.
    static let samples: [String: String] = [
        "server.host": "::1", "server.port": "0", "server.publicURL": "https://images.example",
        "server.allowOrigin": "https://a.example,http://localhost:3000",
        "server.adminPort": "off",
        "server.adminHost": "0.0.0.0", "log.level": "trace",
        "server.maxConnections": "7", "server.connectionsPerClient": "off",
        "server.proxies": "192.0.2.0/24,::1/128", "server.headerTimeout": "250ms",
        "server.requestTimeout": "3s", "server.idleTimeout": "2m", "server.deadline": "1h",
        "server.targetBytes": "4KiB", "server.headerBytes": "32KiB", "server.trustForwardedFor": "on",
        "server.debugHeaders": "on", "drain.delay": "5s", "drain.timeout": "1m", "signing.algorithms": "sha256",
        "signing.query": "signed", "signing.acceptDecoded": "on", "signing.unsafe": "on", "source.fetch": "off",
        "source.allow": "a.example,*.b.example", "source.ports": "80,8080", "source.allowCIDR": "10.0.0.0/8",
        "source.defaultScheme": "https", "source.fileRoot": "/pictures", "source.connectTimeout": "1s",
        "source.firstByte": "9s", "source.minRate": "0", "source.timeout": "30s", "source.redirects": "0",
        "source.staleIfError": "0", "source.userAgent": "example/1.0 (+https://a.example)",
        "iiif.map": "file:/pictures,https://images.example/", "iiif.confinedTooLarge": "clamp",
        "limits.sourceBytes": "1MiB", "limits.sourcePixels": "8MP", "limits.frames": "100",
        "limits.resultSide": "4096", "limits.resultPixels": "1234567", "limits.inFlightBytes": "64MiB",
        "limits.queue": "9", "limits.queueWait": "1s", "limits.rendersPerClient": "60", "limits.work": "7s",
        "decode.threads": "3",
        "decode.failOn": "corrupt", "decode.isolation": "off", "decode.decoder": "/opt/imagetool-decoder",
        "output.quality": "70", "output.auto": "on",
        "output.formats": "png,jpeg", "output.autoWebP": "on", "output.animations": "off", "output.best": "50ms",
        "output.metadata": "no-location", "output.sizes": "20,250",
        "output.presetsOnly": "on", "output.presets": "big=fit-in/900x0 small=90x90/filters:quality(70):grayscale()",
        "output.resourcePolicy": "same-site", "filters.unknown": "refuse", "cache.directory": "/cache",
        "cache.resultMemory": "0", "cache.resultDisk": "1GiB", "cache.sourceDisk": "2TiB", "cache.mode": "ttl",
        "cache.ttl": "0", "cache.swr": "1d", "cache.negativeTTL": "90s", "cache.immutable": "on",
    ]

    /// Keys that need a file or are read from the environment only.
    static let others: Set = ["signing.keysFile", "signing.keys", "server.adminToken"]

    static func entry(_ key: String, of resolved: ResolvedConfiguration) -> ResolvedConfiguration.Entry? {
        resolved.entries.first { $0.key == key }
    }

    /// The complete configuration as text; sets and dictionaries are sorted.
    private static func text(_ service: ServiceConfiguration) -> String {
        var rest = service
        rest.source.ports = []
        rest.output.presets = [:]
        let presets = service.output.presets.sorted { $0.key < $1.key }
        return "\(String(reflecting: rest)) \(service.source.ports.sorted()) \(presets)"
    }

    @Test func everyConfigurationKeyIsListedInTheTestsAndHasUniqueNames() {
        #expect(Set(ConfigurationKey.all.map(\.name)) == Set(Self.samples.keys).union(Self.others))
        #expect(Set(ConfigurationKey.all.map(\.name)).count == ConfigurationKey.all.count)
        #expect(Set(ConfigurationKey.all.map(\.environmentName)).count == ConfigurationKey.all.count)
    }

    @Test(arguments: Self.samples.sorted { $0.key < $1.key })
    func valueOfEachKeyIsReadFromFileAndEnvironmentAndOptionWithItsOrigin(_ name: String, _ text: String) throws {
        let key = try #require(ConfigurationKey.named(name))
        let standard = try #require(Self.entry(name, of: ResolvedConfiguration(json: nil)))
        #expect(standard.origin == .standard)
        #expect(standard.value != text)

        let environment = [key.environmentName: text]
        let fromEnvironment = try ResolvedConfiguration(environment: environment, json: nil)
        #expect(Self.entry(name, of: fromEnvironment) == .init(key: name, value: text, origin: .environment))

        let fromFile = try ResolvedConfiguration(json: Self.json(key, text))
        #expect(Self.entry(name, of: fromFile) == .init(key: name, value: text, origin: .file))

        var options = ConfigurationOptions()
        try options.set(assignment: "\(name)=\(text)")
        let fromOption = try ResolvedConfiguration(options: options, json: nil)
        #expect(Self.entry(name, of: fromOption) == .init(key: name, value: text, origin: .option))

        // The value also changes the configuration of the service.
        let configurations = [fromEnvironment, fromFile, fromOption].map { Self.text($0.service) }
        #expect(Set(configurations).count == 1)
        let unchanged = Self.text(try ResolvedConfiguration(json: nil).service)
        #expect(configurations.allSatisfy { $0 != unchanged })
    }

    /// `{"server":{"port":"0"}}` for `server.port`; lists as arrays and presets as objects.
    private static func json(_ key: ConfigurationKey, _ text: String) throws -> [UInt8] {
        let texts = key.split(text)
        var value: Any = text
        if key.shape == .list { value = texts }
        if key.shape == .pairs {
            value = Dictionary(
                uniqueKeysWithValues: texts.map { text in
                    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                    return (parts[0], parts[1])
                })
        }
        for name in key.name.split(separator: ".").reversed() { value = [String(name): value] }
        return Array(try JSONSerialization.data(withJSONObject: value))
    }

    @Test func optionOverridesEnvironmentWhichOverridesTheFile() throws {
        let file = Array(#"{"server": {"port": 1, "host": "file", "deadline": "1s"}, "output.quality": 50}"#.utf8)
        let environment = ["IMAGETOOL_SERVER_PORT": "2", "IMAGETOOL_SERVER_HOST": "environment"]
        var options = ConfigurationOptions()
        try options.set("server.port", "3")

        let resolved = try ResolvedConfiguration(options: options, environment: environment, json: file)

        #expect(resolved.service.server.port == 3)
        #expect(resolved.service.server.host == "environment")
        #expect(resolved.service.server.deadline == .seconds(1))
        #expect(resolved.service.output.quality == 50)
        let origins = ["server.port", "server.host", "server.deadline", "output.quality", "server.idleTimeout"].map {
            Self.entry($0, of: resolved)?.origin
        }
        #expect(origins == [.option, .environment, .file, .file, .standard])
    }

    @Test func resolvedConfigurationWithoutInputEqualsServiceConfigurationDefaultsExceptForIsolation() throws {
        let resolved = try ResolvedConfiguration()
        var expected = ServiceConfiguration()
        #expect(!expected.decode.isIsolated)
        expected.decode.isIsolated = true
        #expect(Self.text(resolved.service) == Self.text(expected))
    }

    @Test func keyTableInTheDocumentationEqualsTheKeysInTheCode() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let document = folder.appending(path: "../../../Docs/service-configuration.md").standardized
        let text = try String(contentsOf: document, encoding: .utf8)
        #expect(text.contains("\n" + ResolvedConfiguration.documentation + "\n"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains(".") }
        #expect(rows.count == ConfigurationKey.all.count)
    }
}
