import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// The table of Defaults.md against the values of `ImageLoader.Configuration`.
@Suite struct ConfigurationDefaultsTests {
    private struct Row: Equatable {
        let setting: String
        let standard: String
        let server: String
    }

    @Test func tableOfDefaultsListsEverySettingWithItsDefaultAndItsServerValue() throws {
        let standard = Self.cells(of: .init())
        let server = Self.cells(of: .server(directory: "DIRECTORY"))
        var expected: [Row] = []
        for (name, value) in standard {
            let changed = try #require(server.first { $0.name == name }).value
            expected.append(Row(setting: name, standard: value, server: changed == value ? "" : changed))
        }

        #expect(try Self.documentedRows() == expected)
    }

    @Test func directoryOfTheServerPresetContainsTheImageCacheAndTheDataCache() {
        let configuration = ImageLoader.Configuration.server(directory: "/var/cache/images")

        #expect(configuration.cacheDirectory == "/var/cache/images/images")
        #expect(configuration.dataDirectory == "/var/cache/images/data")
    }

    @Test func serverPresetWithoutADirectoryHasNoDiskCache() throws {
        let configuration = ImageLoader.Configuration.server(
            directory: nil, diskCacheMaxBytes: 5, memoryCacheMaxBytes: 7)

        #expect(configuration.cacheDirectory == nil)
        #expect(configuration.dataDirectory == nil)
        #expect(configuration.diskCacheMaxBytes == 5)
        #expect(configuration.memoryCacheMaxBytes == 7)
        try configuration.validate()
    }

    /// The rows of the table, without the units and the explanations in parentheses.
    private static func documentedRows() throws -> [Row] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appending(path: "Sources/Loader/PlatformImageLoader.docc/Defaults.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map { cell in
                let text = cell.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
                return text.contains(" (") ? text.components(separatedBy: " (")[0] : text
            }
            return Row(setting: cells[0], standard: cells[1], server: cells[2])
        }
    }

    private static func cells(of configuration: ImageLoader.Configuration) -> [(name: String, value: String)] {
        let program = CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? ""
        func directory(_ path: String?) -> String {
            guard let path, path.hasPrefix("/") else { return path ?? "nil" }
            return "~/.cache/PROGRAM/" + (path.components(separatedBy: "/\(program)/").last ?? path)
        }
        func number(_ value: Int?) -> String {
            guard let value else { return "nil" }
            var (text, digits) = ("", String(value)[...])
            while digits.count > 3 {
                text = ",\(digits.suffix(3))\(text)"
                digits = digits.dropLast(3)
            }
            return "\(digits)\(text)"
        }
        func seconds(_ value: Duration?) -> String { value.map { "\($0.components.seconds)" } ?? "nil" }
        func set(_ isSet: Bool) -> String { isSet ? "set" : "nil" }
        let settings = configuration
        let types = settings.acceptedContentTypes.map(\.description).sorted().joined(separator: ", ")
        let limits = settings.decodeLimits == .thumbnailService ? "DecodeLimits.thumbnailService" : "DecodeLimits()"
        return [
            ("cacheImagesInMemory", "\(settings.cacheImagesInMemory)"),
            ("memoryCacheMaxBytes", number(settings.memoryCacheMaxBytes)),
            ("memoryCacheMaxCount", number(settings.memoryCacheMaxCount)),
            ("retainsEncodedData", "\(settings.retainsEncodedData)"),
            ("cacheDirectory", directory(settings.cacheDirectory)),
            ("dataDirectory", directory(settings.dataDirectory)),
            ("diskCacheMaxBytes", number(settings.diskCacheMaxBytes)),
            ("trustAnySSLCertificate", "\(settings.trustAnySSLCertificate)"),
            ("trustedHosts", settings.trustedHosts.isEmpty ? "empty" : "set"),
            ("additionalTrustRoots", settings.additionalTrustRoots.isEmpty ? "empty" : "set"),
            ("connectTimeout", seconds(settings.connectTimeout)),
            ("idleTimeout", seconds(settings.idleTimeout)),
            ("totalTimeout", seconds(settings.totalTimeout)),
            ("basicAuth", set(settings.basicAuth != nil)),
            ("credentialOrigins", settings.credentialOrigins.isEmpty ? "empty" : "set"),
            ("negativeCacheMaxAge", seconds(settings.negativeCacheMaxAge)),
            ("negativeCacheMaxCount", number(settings.negativeCacheMaxCount)),
            ("requestModifier", set(settings.requestModifier != nil)),
            ("userAgent", settings.userAgent ?? "nil"),
            ("maxRedirects", number(settings.maxRedirects)),
            ("useServerCachePolicy", "\(settings.useServerCachePolicy)"),
            ("defaultCacheControlMaxAge", seconds(settings.defaultCacheControlMaxAge)),
            ("defaultCacheControlMaxAgeForErrors", seconds(settings.defaultCacheControlMaxAgeForErrors)),
            ("maxAttemptsForErrors", number(settings.maxAttemptsForErrors)),
            ("staleIfError", "\(settings.staleIfError)"),
            ("isSharedCache", "\(settings.isSharedCache)"),
            ("deliversStaleBeforeValidation", "\(settings.deliversStaleBeforeValidation)"),
            ("acceptedContentTypes", types),
            ("maxResponseBytes", number(settings.maxResponseBytes)),
            ("decodeLimits", limits),
            ("isolation", settings.isolation.workers == nil ? "in process" : "set"),
            ("maxDecodedBytes", number(settings.maxDecodedBytes)),
            ("maxInFlightDecodedBytes", number(settings.maxInFlightDecodedBytes)),
            ("urgentWidth", number(settings.urgentWidth)),
            ("slowWidth", number(settings.slowWidth)),
            ("retry", settings.retry == .none ? "none" : settings.retry == .standard ? "standard" : "other"),
            ("maxRetryDelay", seconds(settings.maxRetryDelay)),
            ("keepsDownloadingWhenCancelled", "\(settings.keepsDownloadingWhenCancelled)"),
            ("eventCategories", settings.eventCategories == [.cache, .error] ? "cache, error" : "other"),
            ("eventSink", set(settings.eventSink != nil)),
            ("recordSink", set(settings.recordSink != nil)),
            ("logCacheMisses", "\(settings.logCacheMisses)"),
            ("logResponseWarnings", "\(settings.logResponseWarnings)"),
            ("redactURL", set(settings.redactURL != nil)),
            ("clock", "the clock of the system"),
        ]
    }
}
