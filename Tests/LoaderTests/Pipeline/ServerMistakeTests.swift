import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Images of servers that send a content type or a content coding without meaning.
@Suite struct ServerMistakeTests {
    private static let image = TestImage.first

    private static func load(
        _ fields: [(String, String)], _ body: [UInt8]
    ) async throws -> Result<LoadedImage, LoadError> {
        let origin = try await LoopbackOrigin { _ in
            .response(OriginResponse(fields: fields.map { OriginField($0.0, $0.1) }, body: body))
        }
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        let loader = try ImageLoader(configuration: configuration, transport: CurlTransport(proxy: .none))
        do throws(LoadError) {
            return .success(try await loader.image(for: ImageRequest(url: origin.url("/a"))))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [
        "binary/octet-stream", "application/x-download", "unknown/unknown", "application/force-download", "image/x-png",
        "application/octet-stream", "image/*", "content/unknown", "image/apng",
    ])
    func imageWithAContentTypeWithoutMeaningIsLoaded(_ type: String) async throws {
        #expect(try await Self.load([("Content-Type", type)], Self.image).get().bitmap.width > 0)
    }

    @Test(arguments: ["text/html", "text/plain", "application/json", "image/svg+xml", "application/pdf"])
    func imageWithTheTypeOfOtherContentIsRefused(_ type: String) async throws {
        let result = try await Self.load([("Content-Type", type)], Self.image)

        #expect(throws: LoadError(.unacceptableContentType, "")) { try result.get() }
    }

    @Test(arguments: [
        "UTF-8", "aws-chunked", "none", "binary", "image/png", "br", "zstd", "8bit", "utf-8, aws-chunked",
    ])
    func imageThatIsNotCodedIsLoadedWhateverItsContentEncodingSays(_ coding: String) async throws {
        let result = try await Self.load([("Content-Type", "image/png"), ("Content-Encoding", coding)], Self.image)

        #expect(try result.get().bitmap.width > 0)
    }

    @Test func ignoredCodingIsReportedAsAWarningByDefault() async throws {
        let listener = ReportListener()
        let bench = try LoaderBench(ScriptedTransport(.coded("aws-chunked", Self.image, maxAge: 60))) {
            listener.listen(&$0, to: ImageLoader.Configuration().eventCategories)
        }

        _ = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        await bench.loader.flush()

        let warnings = listener.lines.filter { $0.message == "unknown content coding ignored" }
        #expect(warnings.map(\.level) == [.warning])
        #expect(warnings.first?.metadata["coding"] == "aws-chunked")
    }

    @Test func knownCodingIsDecodedBesideAnUnknownOne() async throws {
        let fields = [("Content-Type", "image/png"), ("Content-Encoding", "aws-chunked, gzip")]

        #expect(try await Self.load(fields, CodedBody.gzip(Self.image)).get().bitmap.width > 0)
    }

    @Test(arguments: ["br", "zstd", "aws-chunked", "gzip, br"])
    func codedBodyOfAnUnknownCodingIsAnErrorThatNamesIt(_ coding: String) async throws {
        let body = [UInt8](repeating: 0x8B, count: 2_000)
        let result = try await Self.load([("Content-Type", "image/png"), ("Content-Encoding", coding)], body)

        let error = #expect(throws: LoadError.self) { try result.get() }
        #expect(error?.code == .undecodable)
        #expect(error?.message.contains(coding == "gzip, br" ? "br" : coding) == true)
    }

    @Test func requestHasTheUserAgentOfTheConfigurationOrOfTheRequest() async throws {
        let origin = try await LoopbackOrigin { _ in .ok(Self.image) }
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        configuration.acceptedContentTypes = []
        let loader = try ImageLoader(configuration: configuration, transport: CurlTransport(proxy: .none))
        configuration.userAgent = "mine/1"
        let named = try ImageLoader(configuration: configuration, transport: CurlTransport(proxy: .none))
        configuration.userAgent = nil
        let silent = try ImageLoader(configuration: configuration, transport: CurlTransport(proxy: .none))

        _ = try await loader.data(for: DataRequest(url: origin.url("/1")))
        _ = try await named.data(for: DataRequest(url: origin.url("/2")))
        _ = try await silent.data(for: DataRequest(url: origin.url("/3")))
        _ = try await named.data(for: DataRequest(url: origin.url("/4"), fields: ["user-agent": "own"]))

        let heads = origin.requests.map { String(decoding: $0.head, as: UTF8.self).lowercased() }
        let agents = heads.map { head in
            head.split(separator: "\r\n").filter { $0.hasPrefix("user-agent:") }.map { String($0.dropFirst(12)) }
        }
        #expect(agents == [["platformimage/\(platformImageVersion)"], ["mine/1"], [], ["own"]])
    }
}
