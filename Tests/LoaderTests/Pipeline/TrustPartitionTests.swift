import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// A response over an unverified connection is not used for a load that requires verification.
@Suite(.requirement("X19"), .timeLimit(.minutes(30))) struct TrustPartitionTests {
    /// A scripted transport that accepts and records all trust settings.
    private final class TrustRecordingTransport: HTTPTransport {
        let scripted: ScriptedTransport
        let trusts = Locked<[TrustSettings]>([])

        init(_ scripted: ScriptedTransport) { self.scripted = scripted }

        func validate(_ trust: TrustSettings) throws(LoadError) {}

        func send(
            _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
        ) async throws -> HTTPResponse {
            trusts.update { $0.append(trust) }
            return try await scripted.send(request, trust: TrustSettings(), timeouts: timeouts)
        }
    }

    private static let url = "https://secure.example/a.png"
    private static let trustChanges: [@Sendable (inout ImageLoader.Configuration) -> Void] = [
        { $0.trustAnySSLCertificate = true }, { $0.trustedHosts = ["secure.example"] },
        { $0.additionalTrustRoots = ["a root"] },
    ]

    private func loader(
        _ folder: DiskFolder, _ transport: some HTTPTransport,
        _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration(cacheDirectory: folder.path + "/images")
        configuration.dataDirectory = folder.path + "/data"
        configuration.cacheImagesInMemory = true
        change(&configuration)
        return try ImageLoader(configuration: configuration, transport: transport)
    }

    @Test(.requirement("X19"), arguments: 0..<3)
    func diskResponseLoadedWithOtherTrustSettingsIsNotUsed(_ index: Int) async throws {
        let folder = try DiskFolder()
        let transport = TrustRecordingTransport(ScriptedTransport(.image(TestImage.first, maxAge: 3600)))
        let request = ImageRequest(url: Self.url)
        // Another URL, because a data load uses the stored image of its URL.
        let data = DataRequest(url: Self.url + "?data")
        let lax = try loader(folder, transport, Self.trustChanges[index])
        #expect(try await lax.image(for: request).isStored)
        #expect(try await lax.data(for: data).isStored)

        let strict = try loader(folder, transport)
        #expect(await strict.lookUpImage(for: request) == nil)
        #expect(try await strict.image(for: request).source != .disk)
        #expect(try await strict.data(for: data).source != .disk)

        // Each loader finds the response that was stored with its trust settings.
        #expect(try await loader(folder, transport, Self.trustChanges[index]).image(for: request).source == .disk)
        #expect(try await loader(folder, transport).image(for: request).source == .disk)
        #expect(transport.trusts.value.count == 4)
    }

    @Test(.requirement("X19"), arguments: 0..<3)
    func memoryResponseLoadedWithOtherTrustSettingsIsNotUsed(_ index: Int) async throws {
        let transport = TrustRecordingTransport(ScriptedTransport(.image(TestImage.first, maxAge: 3600)))
        let loader = try loader(DiskFolder(), transport) {
            $0.cacheDirectory = nil
            Self.trustChanges[index](&$0)
        }
        let request = ImageRequest(url: Self.url)
        _ = try await loader.image(for: request)
        #expect(try await loader.image(for: request).source == .memory)

        try loader.update {
            $0.trustAnySSLCertificate = false
            $0.trustedHosts = []
            $0.additionalTrustRoots = []
        }
        #expect(try await loader.image(for: request).source == .networkToDisk)
        #expect(try await loader.image(for: request).source == .memory)

        try loader.update { Self.trustChanges[index](&$0) }
        #expect(try await loader.image(for: request).source == .memory)
        #expect(transport.trusts.value.count == 2)
    }

    @Test(.requirement("X19"))
    func loadsWithDifferentTrustSettingsDoNotShareADownload() async throws {
        let gate = Gate()
        var held = ScriptedReply.image(TestImage.first, maxAge: 3600)
        held.headGate = gate
        let replies = [held, .image(TestImage.second, maxAge: 3600)]
        let scripted = ScriptedTransport { _, number in replies[min(number, 2) - 1] }
        let loader = try loader(DiskFolder(), TrustRecordingTransport(scripted)) { $0.trustAnySSLCertificate = true }
        let lax = Task { try await loader.image(for: ImageRequest(url: Self.url)) }
        await gate.arrival()

        try loader.update { $0.trustAnySSLCertificate = false }
        let strict = try await loader.image(for: ImageRequest(url: Self.url))
        gate.open()

        #expect(strict.bitmap.width == 11)
        #expect(try await lax.value.bitmap.width == 19)
        #expect(scripted.requests.count == 2)
        // The load that ends last does not replace the response of the other load.
        #expect(try await loader.image(for: ImageRequest(url: Self.url)).bitmap.width == 11)
    }

    @Test(
        .requirement("X19"),
        arguments: [
            "http://plain.example/a.png", "https://other.example/a.png",
        ])
    func trustSettingsOfOtherHostsDoNotChangeTheCacheKey(_ url: String) async throws {
        let folder = try DiskFolder()
        let transport = TrustRecordingTransport(ScriptedTransport(.image(TestImage.first, maxAge: 3600)))
        let request = ImageRequest(url: url)
        _ = try await loader(folder, transport).image(for: request)

        let key = try #require(CacheKey(url: url))
        #expect(DiskCache(directory: folder.path + "/images").read(key) != nil)
        let other = try loader(folder, transport) {
            $0.trustedHosts = ["secure.example"]
            if url.hasPrefix("http:") { $0.trustAnySSLCertificate = true }
        }
        #expect(try await other.image(for: request).source == .disk)
    }

    @Test(.requirement("X19")) func eachResponseOfARedirectChainIsCachedUnderTheTrustSettingsOfItsHost() async throws {
        let folder = try DiskFolder()
        let scripted = ScriptedTransport { request, _ in
            request.url.hasPrefix("https://first.example/")
                ? ScriptedReply(status: 301, fields: ["Location": Self.url, "Cache-Control": "max-age=3600"])
                : .image(TestImage.first, maxAge: 3600)
        }
        let request = ImageRequest(url: "https://first.example/a.png")
        _ = try await loader(folder, TrustRecordingTransport(scripted)) { $0.trustedHosts = ["secure.example"] }.image(
            for: request)
        #expect(scripted.requests.count == 2)

        _ = try await loader(folder, TrustRecordingTransport(scripted)).image(for: request)

        // The stored redirect was received over a verified connection and is used. The stored image was received over
        // an unverified connection, so the image is requested again.
        #expect(scripted.requests.map(\.url).last == Self.url)
        #expect(scripted.requests.count == 3)
    }

    @Test(.requirement("X19"))
    func failureOverAnUnverifiedConnectionIsNotCachedForLoadsThatRequireVerification() async throws {
        let transport = TrustRecordingTransport(
            ScriptedTransport(.status(404), .image(TestImage.first, maxAge: 60)))
        let loader = try loader(DiskFolder(), transport) {
            $0.negativeCacheMaxAge = .seconds(3600)
            $0.trustAnySSLCertificate = true
        }
        await #expect(throws: LoadError.self) { try await loader.image(for: ImageRequest(url: Self.url)) }

        try loader.update { $0.trustAnySSLCertificate = false }

        #expect(try await loader.image(for: ImageRequest(url: Self.url)).source == .networkToDisk)
    }

    @Test(.requirement("X19")) func orderOfTrustRootsDoesNotChangeTheCacheKey() async throws {
        let folder = try DiskFolder()
        let transport = TrustRecordingTransport(ScriptedTransport(.image(TestImage.first, maxAge: 3600)))
        for (roots, source) in [(["a", "b"], false), (["b", "a"], true), (["ab"], false), (["a"], false)] {
            let loader = try loader(folder, transport) { $0.additionalTrustRoots = roots }
            let image = try await loader.image(for: ImageRequest(url: Self.url))
            #expect((image.source == .disk) == source, "\(roots)")
        }
    }
}
