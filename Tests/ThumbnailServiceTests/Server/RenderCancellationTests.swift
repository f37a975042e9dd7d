import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// A render ends when its client disconnects or its deadline passes.
///
/// Independent of machine speed: the tests check the amount of work between two polls of the cancellation flag, and
/// that the first poll after cancellation ends the render.
@Suite(.timeLimit(.minutes(30))) struct RenderCancellationTests {
    /// One file for each decoding method.
    static let files = [
        "demo/mountains.jpg", "demo/aurora-progressive.jpg", "demo/poster-cmyk.jpg", "demo/window.png",
        "demo/ribbons.png", "demo/orbit.gif", "demo/letter-g4.tif", "demo/dunes-16-bit.tif", "demo/invader-rle4.bmp",
    ]

    @Test(
        .requirement("SV11"),
        arguments: files)
    func renderOfEveryFormatPollsEvery16RowsAndEndsWithin4PollsOfACancellation(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let renderer = Renderer()
        // The flag is polled for every 16 rows of the source and of the result. The result has the size of the
        // source, so that at least two polls per 16 rows are expected.
        let header = try renderer.header(of: bytes)
        let request = ThumbnailRequest.cover(header.displayWidth, header.displayHeight)
        let counter = CancellationFlag()
        _ = try renderer.render(bytes, request, cancellation: counter)
        #expect(counter.pollCount >= 2 * header.height / 16)

        for polls in stride(from: 0, to: counter.pollCount, by: max(1, counter.pollCount / 40)) {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: ServiceError.self) { try renderer.render(bytes, request, cancellation: flag) }
            #expect(error?.reason == .deadline)
            // The poll that detects the cancellation, and up to three more polls while the render ends.
            #expect(flag.pollCount <= polls + 4)
        }
    }

    /// Source and result have 2,000 x 1,500 pixels. Also prints the average time between two polls in the slowest of
    /// the measured sections of the render.
    @Test(.requirement("SV11"), arguments: ["jpeg", "progressive", "png"])
    func cancelledLargeRenderEndsWithADeadlineError(_ kind: String) throws {
        var options = EncodeOptions()
        options.jpeg.isProgressive = kind == "progressive"
        let image = try Bitmap.landscape(250, 200).resized(width: 2_000, height: 1_500)
        let bytes = try ImageEncoder(options: options).encode(image, as: kind == "png" ? .png : .jpeg)
        let (renderer, request) = (Renderer(), ThumbnailRequest.cover(2_000, 1_500))
        let counter = CancellationFlag()
        _ = try renderer.render(bytes, request, cancellation: counter)
        let stride = max(1, counter.pollCount / 8)

        var (longest, before) = (Duration.zero, Duration.zero)
        for polls in Swift.stride(from: 0, to: counter.pollCount, by: stride) {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            var reason: ServiceError.Reason?
            let took = ContinuousClock().measure {
                do throws(ServiceError) {
                    _ = try renderer.render(bytes, request, cancellation: flag)
                } catch {
                    reason = error.reason
                }
            }
            #expect(reason == .deadline)
            longest = max(longest, (took - before) / stride)
            before = took
        }
        print("\(kind): \(counter.pollCount) polls of the cancellation flag, longest mean interval \(longest)")
    }

    @Test(.requirement("SV11"), arguments: files)
    func expiredDeadlineEndsTheRenderOfEveryFormat(_ path: String) throws {
        let flag = CancellationFlag()
        flag.setDeadline(.now - .seconds(1))

        let error = #expect(throws: ServiceError.self) {
            try Renderer().render(Fixture.file(path), .cover(300, 300), cancellation: flag)
        }

        #expect(error?.status == 504)
        #expect(flag.pollCount < 8)
    }

    /// The client closes its connection, or only its sending half, during the render.
    @Test(.requirement("SV11"), arguments: [false, true])
    func clientDisconnectEndsTheRenderOfItsRequest(isHalfClosed: Bool) async throws {
        let image = try Bitmap.landscape(600, 600).png()
        let origin = try await LoopbackOrigin { _ in .ok(image) }
        try await withService(origin: origin) {
            $0.limits.threads = 1
            $0.limits.work = .seconds(3_600)
        } _: { service in
            let client = try await RawClient(port: service.port)
            // These blurs take minutes in a debug build.
            let blurs = String(repeating: "blur(150):", count: 7) + "blur(150)"
            let target = "/unsafe/3000x2000/filters:\(blurs)/127.0.0.1:\(origin.port)/a.png"
            try await client.send("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
            while service.engine.queue.budget.grantedBytes == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }

            try await client.disconnect(isHalf: isHalfClosed)
            while service.engine.queue.budget.grantedBytes > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }

            #expect(service.engine.counters.renderCount == 0)
            #expect(try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png").status == 200)
            client.close()
        }
        await origin.stop()
    }
}
