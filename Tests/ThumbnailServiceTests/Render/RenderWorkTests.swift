import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The bound for the work of a render (`limits.work`).
@Suite(.requirement("A9"), .timeLimit(.minutes(30))) struct RenderWorkTests {
    private static let limit = ServiceConfiguration.Limits().workNanoseconds

    private static func renderer(maxWork: Int? = limit) -> Renderer { Renderer(maxWork: maxWork) }

    /// The status of the preparation of a result; 200 when it is accepted. No pixels are decoded.
    private static func status(
        _ width: Int, _ height: Int, _ format: OutputFormatRequest.Format, maxBytes: Int? = nil,
        filters: [ImageFilter] = [], maxWork: Int? = limit
    ) throws -> Int {
        let bytes = try Fixture.file("demo/window.png")
        var request = ThumbnailRequest.of(
            ThumborSize(mode: .cover, width: .pixels(width), height: .pixels(height)), filters: filters,
            output: .format(format))
        request.output.maxBytes = maxBytes
        do throws(ServiceError) {
            _ = try renderer(maxWork: maxWork).prepare(bytes, for: request)
            return 200
        } catch {
            return error.status
        }
    }

    @Test func resultThatTakesSecondsToEncodeIsRefusedBeforeTheDecode() throws {
        // A photograph of 12 megapixels in every format; the construction of A9.
        for format in [OutputFormatRequest.Format.jpeg, .png, .webp, .gif] {
            #expect(try Self.status(4_032, 3_024, format) == 200, "\(format)")
        }
        for format in [OutputFormatRequest.Format.png, .webp, .gif] {
            #expect(try Self.status(6_400, 6_400, format) == 422, "\(format)")
            #expect(try Self.status(6_400, 6_400, format, maxWork: nil) == 200, "\(format)")
        }
        #expect(try Self.status(6_400, 6_400, .jpeg) == 200)
    }

    @Test func searchForAByteLimitCountsItsEncodes() throws {
        #expect(try Self.status(3_000, 2_000, .webp) == 200)
        #expect(try Self.status(3_000, 2_000, .webp, maxBytes: 10_000) == 422)
        #expect(try Self.status(3_000, 2_000, .jpeg, maxBytes: 10_000) == 200)
        // PNG has no quality, so that there is no search.
        #expect(try Self.status(3_000, 2_000, .png, maxBytes: 10_000) == 200)
    }

    /// The source decides how many frames there are: an animation that takes too long has one frame.
    @Test func animationOfTooMuchWorkHasItsFirstFrameOnly() throws {
        let frame = Bitmap.landscape(120, 100)
        let frames = (0..<60).map { AnimationFrame(frame, delay: FrameDelay(numerator: 1, denominator: 25), index: $0) }
        let bytes = try ImageEncoder().encodeAnimation(frames, as: .gif, loopCount: 0)
        var request = ThumbnailRequest.fit(120, 100)
        request.output = .format(.gif)
        let work = RenderWork(request, try Renderer().header(of: bytes), .animation(.gif))
        let plan = try Renderer().prepare(bytes, for: request).plan

        for (maxWork, count) in [(work.nanoseconds(of: plan), 60), (work.nanoseconds(of: plan) - 1, 1)] {
            let image = try Self.renderer(maxWork: maxWork).render(bytes, request)
            #expect(image.resultFrameCount == count)
        }
    }

    @Test func estimateGrowsWithSizeFormatAndFilters() throws {
        let header = try Renderer().header(of: Fixture.file("demo/window.png"))
        func work(_ side: Int, _ format: EncodedFormat, _ filters: [ImageFilter] = []) throws -> Int {
            let request = ThumbnailRequest.of(
                ThumborSize(mode: .cover, width: .pixels(side), height: .pixels(side)), filters: filters)
            let plan = try SizeRules().plan(
                request.operations, request.output, sourceWidth: header.width, sourceHeight: header.height)
            return RenderWork(request, header, .still(format)).nanoseconds(of: plan)
        }
        for format in [EncodedFormat.jpeg, .png, .gif] + (EncodedFormat.webp.isAvailable ? [.webp] : []) {
            #expect(try work(100, format) > 0)
            #expect(try work(2_000, format) > 100 * work(100, format))
        }
        #expect(try work(1_000, .jpeg) < work(1_000, .png))
        let blur = ImageFilter.pixels(.blur(radius: 20, sigma: FixedDecimal(10)))
        #expect(try work(1_000, .jpeg, [blur]) > work(1_000, .jpeg))
    }

    /// The service refuses the request without decoding the source.
    @Test func upscalingToManyMegapixelsIsRefusedByTheService() async throws {
        let folder = Fixture.folder.path(percentEncoded: false)
        try await withService {
            $0.iiif = .init(fileRoot: folder)
        } _: { service in
            let reply = try await service.send("/iiif/3/demo%2Fwindow.png/full/%5E6400,6400/0/default.png")
            #expect(reply.status == 422)
            #expect(reply.text.contains("limits.work"))
            #expect(service.engine.counters.decodeCount == 0)
        }
    }
}
