import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Above ``Blur/maxExactRadius`` the cost of a blur is independent of its radius. The total cost of all filters is
/// limited.
@Suite struct RenderBlurTests {
    private let renderer = Renderer()

    /// An image with noise, full-contrast edges and transparency.
    private static func image(_ width: Int, _ height: Int) -> Bitmap {
        var random = SplitMix(seed: 11)
        return Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let isWhite = (x / 24 + y / 24) % 2 == 0
                    let noise = UInt8.random(in: 0...255, using: &random)
                    RGBA8(
                        red: isWhite ? 255 : 0, green: noise, blue: UInt8(x * 255 / width), alpha: y < 20 ? noise : 255
                    )
                    .store(in: &pixels, at: (y * width + x) * 4)
                }
            }
        }
    }

    /// Without a sigma in the request, the kernel ends at one standard deviation; with a sigma, it can contain the full
    /// Gaussian.
    @Test(
        .requirement("X11"),
        arguments: [
            (21, 0.0), (22, 0.0), (30, 0.0), (50, 0.0), (150, 0.0), (60, 30.0), (60, 24.0), (90, 30.0), (40, 200.0),
            (24, 6.0), (40, 10.0),
        ])
    func boxBlurDiffersFromTheGaussianByAtMost2LevelsAndHas50DecibelsPSNR(_ radius: Int, _ sigma: Double) throws {
        let image = Self.image(150, 90)
        let blur = Blur(radius: radius, sigma: sigma)

        let exact = try image.blurredExactly(blur).copyBytes()
        let fast = try image.blurred(blur).copyBytes()

        var (most, squares) = (0, 0)
        for (a, b) in zip(exact, fast) {
            let difference = abs(Int(a) - Int(b))
            most = max(most, difference)
            squares += difference * difference
        }
        let decibels = squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(exact.count) / Double(squares))
        print("blur(\(radius),\(sigma)): difference \(most), \(decibels) dB, \(blur.sums?.boxes.count ?? 0) boxes")
        #expect(blur.sums != nil)
        #expect(most <= 2)
        #expect(decibels >= 50)
    }

    @Test(.requirement("X11")) func blurUsesAtMost8RunningSumsAtAnyRadius() {
        for radius in 1...Blur.maxRadius {
            for sigma in [0, 1, 3.7, 20, 50, 1_000] {
                let blur = Blur(radius: radius, sigma: sigma)
                guard let sums = blur.sums else {
                    #expect(blur.radius <= Blur.maxExactRadius)
                    continue
                }
                #expect(blur.radius > Blur.maxExactRadius)
                #expect((1...BoxSums.maxCount).contains(sums.boxes.count))
                #expect(sums.boxes.last?.radius ?? .max <= blur.radius)
                let total = sums.boxes.reduce(0) { $0 + $1.weight * Float(2 * $1.radius + 1) }
                #expect(abs(total - 1) < 1e-5)
            }
        }
    }

    @Test(
        .requirement("X11"),
        arguments: [(1, 1), (1, 40), (40, 1), (7, 5)])
    func blurWiderThanTheImageDoesNotChangeAnImageOfOneColor(_ width: Int, _ height: Int) throws {
        let flat = Bitmap(width: width, height: height) { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) {
                RGBA8(red: 201, green: 7, blue: 90, alpha: 128).store(in: &pixels, at: at)
            }
        }
        #expect(try flat.blurred(Blur(radius: 150)).copyBytes() == flat.copyBytes())
    }

    @Test(.requirement("X11")) func filtersThatExceedMaxFilterWorkAreRejectedBeforeDecoding() throws {
        let blur = ImageFilter.pixels(.blur(radius: 150, sigma: FixedDecimal(150)))
        // The work of one blur is 25 million pixels times 20 (the maximum work radius), which is half of the limit.
        for (filters, isAllowed) in [([blur], true), ([blur, blur], true), ([blur, blur, blur], false)] {
            #expect(plans(filters, 5_000, 5_000) == isAllowed)
        }
        let matrix = ImageFilter.pixels(
            .convolution(weights: Array(repeating: FixedDecimal(1), count: 225), columns: 15, normalizes: true))
        #expect(plans([matrix], 4_000, 4_000))
        #expect(!plans([matrix], 5_000, 5_000))
        // Many cheap filters exceed the limit too.
        let gray = ImageFilter.pixels(.grayscale)
        #expect(plans(Array(repeating: gray, count: 40), 5_000, 5_000))
        #expect(!plans(Array(repeating: gray, count: 41), 5_000, 5_000))
        #expect(plans(Array(repeating: blur, count: 100), 500, 500))
    }

    private func plans(_ filters: [ImageFilter], _ width: Int, _ height: Int) -> Bool {
        var request = ThumbnailRequest.cover(width, height)
        request.operations.filters = filters
        do throws(ServiceError) {
            _ = try renderer.sizes.plan(request.operations, request.output, sourceWidth: 64, sourceHeight: 64)
            return true
        } catch {
            return error.reason != .limit
        }
    }

    @Test(.requirement("X11")) func cancellationAtAnyPollEndsTheBoxBlur() throws {
        let image = Self.image(40, 90)
        let whole = CancellationFlag()
        _ = try image.blurred(Blur(radius: 30), cancellation: whole)
        #expect(whole.pollCount >= 2 * image.height / 16)
        for polls in 0..<whole.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) {
                try image.blurred(Blur(radius: 30), cancellation: flag)
            }
            #expect(error?.code == .cancelled)
        }
    }
}
