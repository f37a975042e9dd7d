import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Header fields of fetches.
@Suite(.timeLimit(.minutes(30))) struct FetchFieldTests {
    @Test(arguments: ["imagetool", "example/1.0 (+https://a.example)"])
    func fetchHasTheUserAgentOfTheConfiguration(_ userAgent: String) async throws {
        let file = try Bitmap.landscape(20, 10).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }

        let reply = try await withService(origin: origin) {
            if userAgent != $0.source.userAgent { $0.source.userAgent = userAgent }
        } _: { service in
            try await service.send("/unsafe/10x5/127.0.0.1:\(origin.port)/a.png")
        }

        #expect(reply.status == 200)
        #expect(origin.requests.map { $0["User-Agent"] } == [userAgent])
        await origin.stop()
    }
}
