import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Configuration errors: each message contains the key and the source of its value.
@Suite struct ConfigurationErrorTests {
    private static func message(_ body: () throws -> ResolvedConfiguration) -> String {
        do {
            _ = try body()
            return ""
        } catch {
            return (error as? ServiceError)?.message ?? "\(error)"
        }
    }

    static let badValues: [(name: String, text: String)] = [
        ("server.port", "70000"), ("server.port", "-1"), ("server.port", "80 "), ("server.port", ""),
        ("server.port", "+80"), ("server.port", "８０"), ("server.adminPort", "none"),
        ("server.allowOrigin", "a.example"),
        ("server.allowOrigin", "https://a.example/"), ("server.allowOrigin", "https://a.example:0"),
        ("log.level", "verbose"), ("source.staleIfError", "-1s"),
        ("source.userAgent", "a\u{7}b"), ("source.userAgent", "é"), ("source.userAgent", " a"),
        ("server.deadline", "5"),
        ("server.deadline", "0"), ("server.deadline", "0s"), ("server.deadline", "1.5s"), ("server.deadline", "5 s"),
        ("server.deadline", "5S"), ("server.deadline", "99999999999999999999s"), ("server.deadline", "36501d"),
        ("limits.sourceBytes", "32mib"), ("limits.sourceBytes", "0"), ("limits.sourceBytes", "9999999TiB"),
        ("limits.sourcePixels", "50MiB"), ("source.fetch", "yes"), ("source.ports", "80,,443"),
        ("source.ports", "0"), ("source.defaultScheme", "ftp"), ("decode.failOn", "never"), ("cache.mode", "max"),
        ("output.quality", "101"), ("output.sizes", "20,x"), ("output.presets", "small"),
        ("output.presets", "a=1x1 a=2x2"), ("iiif.map", "file:"), ("iiif.map", "file:/a,file:/b"),
        ("iiif.map", "ftp://a.example/"), ("iiif.map", "http://a.example"), ("iiif.map", "http:///"),
        ("signing.algorithms", "md5"), ("server.host", "a\u{7}b"),
        ("limits.rendersPerClient", "0"), ("output.resourcePolicy", "any"),
    ]

    @Test(arguments: Self.badValues)
    func invalidConfigurationValueIsReportedWithItsKeyItsOriginAndTheExpectedSyntax(
        _ name: String, _ text: String
    ) throws {
        let key = try #require(ConfigurationKey.named(name))

        let environment = Self.message {
            try ResolvedConfiguration(environment: [key.environmentName: text], json: nil)
        }
        #expect(environment.hasPrefix("\(name) (environment, \(key.environmentName)): "))
        #expect(environment.hasSuffix("expected \(key.syntax)"))

        let option = Self.message {
            var options = ConfigurationOptions()
            try options.set(assignment: "\(name)=\(text)")
            return try ResolvedConfiguration(options: options, json: nil)
        }
        #expect(option.hasPrefix("\(name) (option): "))
    }

    @Test(arguments: [
        (#"{"server": {"prot": 1}}"#, "server.prot"), (#"{"server": 1}"#, "server"), (#"{"sever": {}}"#, "sever"),
        (#"{"a": {"b": {"c": 1}}, "server": {"x": 1}}"#, "a.b.c, server.x"),
    ])
    func unknownKeyInTheConfigurationFileIsReportedByName(_ json: String, _ names: String) {
        let message = Self.message { try ResolvedConfiguration(json: Array(json.utf8)) }
        #expect(message == "the configuration file contains unknown keys: \(names)")
    }

    @Test(arguments: [
        "", "[]", "1", "null", "{", #"{"server.port": }"#, #"{"server.port": 1}x"#, #"{"server.port": null}"#,
        #"{"server.port": [1]}"#, #"{"server.port": {"a": 1}}"#, #"{"source.allow": {"a": "b"}}"#,
        #"{"source.allow": [["a"]]}"#, #"{"output.presets": ["a=1x1"]}"#, #"{"output.presets": {"a": {}}}"#,
        #"{"server.port": 1, "server": {"port": 2}}"#, #"{"server.port": 70000}"#, #"{"server.port": 1.5}"#,
        #"{"signing.keys": "secret"}"#,
    ])
    func malformedConfigurationFileIsRejected(_ json: String) {
        #expect(throws: ServiceError.self) { try ResolvedConfiguration(json: Array(json.utf8)) }
    }

    @Test func jsonNumbersBooleansAndAStringInsteadOfAListAreAcceptedInTheConfigurationFile() throws {
        let json = #"{"server": {"port": 81, "debugHeaders": true}, "source.allow": "*", "source.ports": [8080]}"#
        let service = try ResolvedConfiguration(json: Array(json.utf8)).service
        #expect(service.server.port == 81)
        #expect(service.server.showsDebugFields)
        #expect(service.source.allow == ["*"])
        #expect(service.source.ports == [8080])
    }

    @Test func optionThatIsUnknownOrSecretOrRepeatedIsRejected() throws {
        var options = ConfigurationOptions()
        try options.set("server.port", "1")
        for assignment in ["server.port=2", "server.prot=1", "signing.keys=abc", "server.host"] {
            #expect(throws: ServiceError.self) { try options.set(assignment: assignment) }
        }
        try options.set(assignment: "output.presets=a=1x1")
        let service = try ResolvedConfiguration(options: options, json: nil).service
        #expect(service.server.port == 1)
        #expect(service.output.presets == ["a": "1x1"])
    }

    @Test func signingKeysOfFileAndEnvironmentAreMergedAndRedacted() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = folder.appending(path: "keys").path
        try Data("the first of keys\r\n\nthe second of keys".utf8).write(to: URL(filePath: keys))
        let file = folder.appending(path: "configuration.json").path
        try Data(#"{"signing": {"keysFile": "\#(keys)"}}"#.utf8).write(to: URL(filePath: file))

        let resolved = try ResolvedConfiguration(
            environment: ["IMAGETOOL_SIGNING_KEYS": "the third of keys\n"], file: file)

        #expect(
            resolved.service.signing.keys
                == ["first", "second", "third"].map { "the \($0) of keys" }.map { Array($0.utf8) })
        #expect(!resolved.report.contains("third"))
        #expect(resolved.report.contains("<redacted>"))
        #expect(ConfigurationKeyTests.entry("signing.keysFile", of: resolved)?.origin == .file)
        for path in [folder.path, folder.appending(path: "none").path] {
            #expect(throws: ServiceError.self) { try ResolvedConfiguration(file: path) }
            #expect(throws: ServiceError.self) {
                try ResolvedConfiguration(environment: ["IMAGETOOL_SIGNING_KEYSFILE": path])
            }
        }
    }

    @Test func configurationReportHasOneLinePerKeyAndNoControlCharacter() throws {
        let resolved = try ResolvedConfiguration(
            environment: ["IMAGETOOL_OUTPUT_PRESETS": "a=1x1\u{1B}[2J b=2x2"], json: nil)
        let lines = resolved.report.split(separator: "\n")
        #expect(lines.count == ConfigurationKey.all.count)
        #expect(!resolved.report.utf8.contains { $0 < 0x20 && $0 != 0x0A })
        #expect(lines.contains { $0.hasPrefix("server.port ") && $0.contains("default") && $0.hasSuffix(" 8080") })
    }

    static let memory: [(limit: Int?, expected: Int)] = [
        (nil, 536_870_912), (8_589_934_592, 536_870_912), (1_073_741_824, 268_435_456), (1_048_576, 1_048_576),
        (0, 1_048_576),
    ]

    @Test(arguments: Self.memory)
    func defaultInFlightByteLimitIsAQuarterOfTheMemoryLimitBetween1And512MiB(_ limit: Int?, _ expected: Int) {
        #expect(ServiceConfiguration.Limits.inFlightBytes(memoryLimit: limit) == expected)
        #expect((1 << 20...512 << 20).contains(ServiceConfiguration.Limits.defaultInFlightBytes))
    }

    private static let resultMemory: [(Int?, Int)] = [
        (nil, 134_217_728), (536_870_912, 134_217_728), (268_435_456, 67_108_864), (0, 0),
    ]

    @Test(arguments: resultMemory)
    func defaultResultMemoryIsAtMostAQuarterOfTheMemoryLimit(_ limit: Int?, _ expected: Int) {
        #expect(ServiceConfiguration.Cache.resultMemory(memoryLimit: limit) == expected)
        #expect((0...128 << 20).contains(ServiceConfiguration.Cache.defaultResultMemory))
    }
}
