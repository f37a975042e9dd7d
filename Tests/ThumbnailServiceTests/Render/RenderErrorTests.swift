import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite struct RenderErrorTests {
    private let renderer: Renderer = {
        var options = DecodeOptions()
        options.limits = .thumbnailService
        return Renderer(decoder: ImageDecoder(options: options))
    }()

    /// Invalid images are 415 and images over a limit 422; no file causes an internal error.
    @Test(.requirement("SV7", "SV10")) func everyInvalidFixtureIsRejectedWith415Or422() throws {
        let bad = Fixture.all.filter { $0.expect.error != nil }
        #expect(bad.count > 100)
        for fixture in bad {
            let error = #expect(throws: ServiceError.self, "\(fixture.path)") {
                _ = try Renderer().render(fixture.load(), .cover(20, 10))
            }
            let isLimit = fixture.expect.error == "limitExceeded"
            #expect(error?.reason == (isLimit ? .limit : .notAnImage), "\(fixture.path)")
            #expect(error?.status == (isLimit ? 422 : 415))
        }
    }

    @Test(.requirement("SV10")) func nonImageBytesAreRejectedAsNotAnImage() {
        for bytes: [UInt8] in [[], [0], Array("<html></html>".utf8), Array(repeating: 0, count: 5000)] {
            let error = #expect(throws: ServiceError.self) { try renderer.render(bytes, .of()) }
            #expect(error?.reason == .notAnImage)
        }
    }

    @Test(.requirement("SV7")) func sourceOverThePixelLimitOrResultOverTheSizeLimitIsRejected() throws {
        let bytes = try Bitmap.landscape(40, 30).png()
        var decoder = ImageDecoder()
        decoder.options.limits.maxPixels = 1199
        let small = Renderer(decoder: decoder)
        #expect(throws: ServiceError(.limit, "")) { try small.rethrowing { try $0.render(bytes, .of()) } }
        decoder.options.limits.maxPixels = 1200
        #expect(try Renderer(decoder: decoder).render(bytes, .of()).width == 40)

        let narrow = Renderer(sizes: SizeRules(maxSide: 50, maxPixels: 2000))
        #expect(throws: ServiceError(.limit, "")) { try narrow.rethrowing { try $0.render(bytes, .cover(51, 10)) } }
        #expect(throws: ServiceError(.limit, "")) { try narrow.rethrowing { try $0.render(bytes, .cover(50, 41)) } }
        #expect(try narrow.render(bytes, .cover(50, 40)).height == 40)
    }

    /// The image that remains after a trim can be so narrow that enlarging it exceeds the size planned from the header.
    @Test func trimmedImageOverTheReservedMemoryIsRejected() throws {
        let line = Bitmap(width: 40, height: 40) { pixels in
            for index in 0..<1600 {
                let value: UInt8 = index % 40 == 20 ? 0 : 255
                RGBA8(red: value, green: value, blue: value).store(in: &pixels, at: index * 4)
            }
        }
        var request = ThumbnailRequest.of(ThumborSize(width: .pixels(100)))
        request.operations.trim = Operations.Trim()
        let bytes = try line.png()

        let prepared = try renderer.prepare(bytes, for: request)
        let error = #expect(throws: ServiceError.self) { try renderer.render(prepared, bytes) }

        #expect(prepared.plan.height == 100)
        #expect(error?.reason == .limit)
    }

    /// The request uses a smart crop, a rotation, a blurred fill and several pixel filters.
    @Test(.requirement("SV11")) func cancellationAtAnyPollEndsTheRender() throws {
        var request = ThumbnailRequest.cover(24, 36)
        request.operations.focus.isSmart = true
        request.operations.filters =
            [
                .pixels(.blur(radius: 2, sigma: FixedDecimal(1))), .rotate(quarterTurns: 1),
                .pixels(.sharpen(amount: FixedDecimal(1), radius: FixedDecimal(1), luminanceOnly: true)),
                .pixels(.convolution(weights: [FixedDecimal(1)], columns: 1, normalizes: false)),
                .pixels(.equalize), .pixels(.saturation(FixedDecimal(2))), .fill(.blur, blendsTransparency: true),
                .pixels(
                    .roundCorner(
                        horizontalRadius: 5, verticalRadius: 5, color: .init(red: 0, green: 0, blue: 0),
                        isTransparent: true)),
            ]
        request.output.prefersJPEG = true
        let bytes = try Bitmap.landscape(40, 40).png()
        let whole = CancellationFlag()
        let expected = try renderer.render(bytes, request, cancellation: whole)
        #expect(whole.pollCount > 30)

        for polls in 0..<whole.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: ServiceError.self) {
                try renderer.render(bytes, request, cancellation: flag)
            }
            #expect(error?.reason == .deadline)
        }
        #expect(try renderer.render(bytes, request).bytes == expected.bytes)
    }

    @Test func renderWithAnExpiredDeadlineIsReportedAs504() throws {
        let flag = CancellationFlag()
        flag.setDeadline(.now - .seconds(1))

        let error = #expect(throws: ServiceError.self) {
            try renderer.render(Bitmap.landscape(64, 64).png(), .cover(32, 32), cancellation: flag)
        }

        #expect(error?.status == 504)
    }

    @Test func memoryEstimateOfARenderCoversSourceBytesAndPixelsAndBlurRows() throws {
        let sourceImage = Bitmap.landscape(200, 100)
        let bytes = try sourceImage.png()

        let small = try renderer.prepare(bytes, for: .cover(20, 10)).byteCount
        let large = try renderer.prepare(bytes, for: .cover(2000, 1000)).byteCount
        var trimming = ThumbnailRequest.cover(20, 10)
        trimming.operations.trim = Operations.Trim()
        let trimmed = try renderer.prepare(bytes, for: trimming).byteCount
        var blurring = ThumbnailRequest.cover(2000, 1000)
        blurring.operations.filters = [.pixels(.blur(radius: 150, sigma: FixedDecimal(150)))]
        let blurred = try renderer.prepare(bytes, for: blurring).byteCount

        #expect(small > bytes.count)
        #expect(large >= bytes.count + 2 * 2000 * 1000 * 4)
        #expect(trimmed >= bytes.count + sourceImage.byteCount)
        // The window of the blur needs 301 rows of 32-bit numbers.
        #expect(blurred >= bytes.count + 2 * 2000 * 1000 * 4 + 301 * 2000 * 16)
    }

    @Test func metadataJSONNeedsNoMemoryBeyondTheSourceBytes() throws {
        let bytes = try Bitmap.landscape(400, 300).png()
        var request = ThumbnailRequest.cover(200, 100)
        request.output.kind = .meta(blurHash: false)

        let flag = CancellationFlag()
        flag.cancelAfter(polls: 0)
        let prepared = try renderer.prepare(bytes, for: request)
        let image = try renderer.render(prepared, bytes, cancellation: flag)

        #expect(image.contentType == "application/json")
        #expect(prepared.byteCount == bytes.count)
    }
}

extension Renderer {
    /// Rethrows the error of `body` without its message, so that tests compare status and reason.
    fileprivate func rethrowing(_ body: (Renderer) throws -> RenderedImage) throws -> RenderedImage {
        do {
            return try body(self)
        } catch let error as ServiceError {
            throw ServiceError(error.reason, status: error.status, "")
        }
    }
}
