import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The effect of configuration keys on a running service.
@Suite struct ConfigurationEffectTests {
    @Test(arguments: ServiceConfiguration.Decode.Damage.allCases)
    func truncatedSourceIsRejectedWith415UnlessFailOnIsNone(_ failOn: ServiceConfiguration.Decode.Damage) async throws {
        let whole = try Bitmap.landscape(100, 80).png()
        let file = Array(whole.prefix(whole.count / 2))
        try await withService {
            $0.decode.failOn = failOn
        } _: { service in
            let reply = try await service.send("/post/unsafe/20x20/body", method: "POST", body: file)
            #expect(reply.status == (failOn == .none ? 200 : 415))
        }
    }

    @Test(arguments: [(0, 200), (1, 422), (2, 422), (3, 200)])
    func sourceOverTheFrameLimitIsRejectedWith422(_ frames: Int, _ status: Int) async throws {
        let file = Self.gif(frames: 3)
        try await withService {
            $0.limits.frames = frames
        } _: { service in
            let reply = try await service.send("/post/unsafe/1x1/body", method: "POST", body: file)
            #expect(reply.status == status)
            if status == 200 { #expect(reply["X-Frames"] == "3/3") }
        }
    }

    @Test(arguments: [("", true, "3/3"), ("", false, "1/3"), ("filters:cover()/", true, "1/3")])
    func animationIsKeptUnlessTheConfigurationOrTheTargetDisablesIt(
        _ parts: String, _ keepsAnimations: Bool, _ frames: String
    ) async throws {
        let file = Self.gif(frames: 3)
        try await withService {
            $0.output.keepsAnimations = keepsAnimations
        } _: { service in
            let reply = try await service.send("/post/unsafe/1x1/\(parts)body", method: "POST", body: file)
            #expect(reply["X-Frames"] == frames && reply["Content-Type"] == "image/gif")
        }
    }

    /// A GIF89a of one pixel with `frames` frames.
    private static func gif(frames: Int) -> [UInt8] {
        let header: [UInt8] = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        return header + Array((0..<frames).map { _ in frame }.joined()) + [0x3B]
    }

    @Test func firstByteTimeoutOfTheOriginIsReportedAs504() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: [1])
            response.gate = gate
            return .response(response)
        }
        try await withService(origin: origin) {
            $0.source.firstByteTimeout = .milliseconds(50)
        } _: { service in
            let reply = try await service.send("/unsafe/20x20/127.0.0.1:\(origin.port)/slow.png")
            #expect(reply.status == 504)
            #expect(reply.text.contains("\"reason\":\"originTimeout\""))
        }
        gate.open()
        await origin.stop()
    }

    @Test func immutableSettingAddsImmutableToCacheControl() async throws {
        let file = try Bitmap.landscape(10, 10).png()
        let origin = try await LoopbackOrigin { request in
            .response(OriginResource(file, contentType: "image/png", maxAge: 60).response(to: request))
        }
        try await withService(origin: origin) {
            $0.cache.isImmutable = true
        } _: { service in
            let reply = try await service.send("/unsafe/5x5/127.0.0.1:\(origin.port)/cat.png")
            #expect(reply["Cache-Control"] == "public, max-age=60, immutable")
        }
        await origin.stop()
    }
}
