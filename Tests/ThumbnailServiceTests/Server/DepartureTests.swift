#if Service
import PlatformImageLoopbackOrigin
import NIOCore
import NIOPosix
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// SV11: nobody works for a client that has gone, or past a deadline.
///
/// How fast a machine is says nothing here: what counts is how much is done between two looks at the flag, and that the
/// next look ends the work.
@Suite(.timeLimit(.minutes(30))) struct DepartureTests {
    /// One file for each way of decoding.
    static let files = [
        "demo/mountains.jpg", "demo/aurora-progressive.jpg", "demo/poster-cmyk.jpg", "demo/window.png",
        "demo/ribbons.png", "demo/orbit.gif", "demo/letter-g4.tif", "demo/dunes-16-bit.tif", "demo/invader-rle4.bmp",
    ]

    @Test(
        "SV11 every format looks at the flag at least every 16 rows, and the next look ends the work", arguments: files)
    func everyFormatEndsAtTheNextLook(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let renderer = Renderer()
        // Larger than the picture: the rows of the result count too.
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
            // The look that sees it, and those that others take on their way out.
            #expect(flag.pollCount <= polls + 4)
        }
    }

    /// Prints what a machine does in the time between two looks, of 2,000 x 1,500 pixels in and out.
    @Test("SV11 how long a thread goes on for a client that has gone", arguments: ["jpeg", "progressive", "png"])
    func howLongAThreadGoesOn(_ kind: String) throws {
        var options = EncodeOptions()
        options.jpeg.isProgressive = kind == "progressive"
        let picture = try Bitmap.landscape(250, 200).resized(width: 2_000, height: 1_500)
        let bytes = try ImageEncoder(options: options).encode(picture, as: kind == "png" ? .png : .jpeg)
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
        print("\(kind): \(counter.pollCount) looks at the flag, \(longest) between two on average where it is longest")
    }

    @Test("SV11 a deadline that passed ends the work of every format", arguments: files)
    func aDeadlineEndsTheWork(_ path: String) throws {
        let flag = CancellationFlag()
        flag.setDeadline(.now - .seconds(1))

        let error = #expect(throws: ServiceError.self) {
            try Renderer().render(Fixture.file(path), .cover(300, 300), cancellation: flag)
        }

        #expect(error?.status == 504)
        #expect(flag.pollCount < 8)
    }

    /// The client closes its connection, or only its sending half, while its picture is made.
    @Test("SV11 a client that goes frees the thread that works for it", arguments: [false, true])
    func aClientThatGoesFreesTheThread(isHalfClosed: Bool) async throws {
        let picture = try Bitmap.landscape(600, 600).png()
        let origin = try await LoopbackOrigin { _ in .ok(picture) }
        try await withService(origin: origin) {
            $0.limits.threads = 1
        } _: { service in
            let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .connect(host: "127.0.0.1", port: service.port).get()
            // Minutes of work in a debug build.
            let blurs = String(repeating: "blur(150):", count: 7) + "blur(150)"
            let target = "/unsafe/3000x2000/filters:\(blurs)/127.0.0.1:\(origin.port)/a.png"
            try await client.writeAndFlush(
                ByteBuffer(string: "GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n"))
            while service.engine.queue.budget.grantedBytes == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }

            try await client.close(mode: isHalfClosed ? .output : .all)
            while service.engine.queue.budget.grantedBytes > 0 {
                try Task.checkCancellation()
                await Task.yield()
            }

            #expect(service.engine.counters.renderCount == 0)
            #expect(try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png").status == 200)
            try? await client.close()
        }
        await origin.stop()
    }
}
#endif
