import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// A source that is requested before it is published.
@Suite(.timeLimit(.minutes(30))) struct MissingSourceTests {
    /// Fails with `notFound` until `published` is set, and counts the reads.
    private final class UnpublishedSource: SourceReading {
        let published = Locked<[UInt8]?>(nil)
        let readCount = Locked(0)

        func read(_ source: SourceName) async throws(ServiceError) -> SourceBytes {
            readCount.update { $0 += 1 }
            guard let bytes = published.value else { throw ServiceError(.notFound, "the origin has no such image") }
            return SourceBytes(bytes)
        }

        func flush() async {}
    }

    private static func status(
        _ engine: ThumbnailEngine, _ side: Int, _ source: SourceName = .url("http://a.example/b.png")
    ) async -> Int {
        var request = ThumbnailRequest.fit(side, side)
        request.source = source
        do throws(ServiceError) {
            _ = try await engine.result(for: request)
            return 200
        } catch {
            return error.status
        }
    }

    @Test(.requirement("X9"), arguments: [60, 5, 0])
    func missingSourceIsRequestedAgainAfterTheNegativeTTL(seconds: Int) async throws {
        let time = Locked(WallTime(seconds: 1_000_000))
        let source = UnpublishedSource()
        var configuration = ServiceConfiguration()
        configuration.cache.negativeLifetime = .seconds(seconds)
        configuration.server.deadline = .seconds(3_600)
        let engine = ThumbnailEngine(configuration, sources: source) { time.value }
        for side in 1...8 { #expect(await Self.status(engine, side) == 404) }
        #expect(source.readCount.value == (seconds == 0 ? 8 : 1))
        source.published.update { $0 = try? Bitmap.landscape(40, 30).png() }

        if seconds > 0 {
            time.update { $0 = $0.adding(milliseconds: Int64(seconds) * 1_000 - 1) }
            #expect(await Self.status(engine, 9) == 404)
            time.update { $0 = $0.adding(milliseconds: 1) }
        }
        #expect(await Self.status(engine, 9) == 200)
    }

    @Test(.requirement("X9")) func missingSourceOfAnIIIFIdentifierIsReadAgainForEachRequest() async throws {
        let source = UnpublishedSource()
        var configuration = ServiceConfiguration()
        configuration.iiif = .init(urlPrefix: "http://a.example/images/", fileRoot: "/images")
        let engine = ThumbnailEngine(configuration, sources: source)
        for side in 1...8 { #expect(await Self.status(engine, side, .identifier("b")) == 404) }
        source.published.update { $0 = try? Bitmap.landscape(40, 30).png() }

        #expect(await Self.status(engine, 9, .identifier("b")) == 200)
    }

    @Test(.requirement("X9")) func missingOrInvalidLocalFileIsServedAfterItIsReplacedByAnImage() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "late-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withService {
            $0.source.fileRoot = folder.path(percentEncoded: false)
        } _: { service in
            for side in 1...8 { #expect(try await service.send("/unsafe/\(side)x0/a.png").status == 404) }
            try Data("no image".utf8).write(to: folder.appending(path: "a.png"))
            for side in 1...8 { #expect(try await service.send("/unsafe/\(side)x0/a.png").status == 415) }

            try Data(Bitmap.landscape(40, 30).png()).write(to: folder.appending(path: "a.png"))

            #expect(try await service.send("/unsafe/9x0/a.png").status == 200)
        }
    }
}
