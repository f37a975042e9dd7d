import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Blur, convolution and sharpening compared with direct sums over all neighbours in 64-bit floating point.
@Suite struct RenderConvolutionTests {
    private static func noise(_ width: Int, _ height: Int, seed: UInt64, isOpaque: Bool = false) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count {
                pixels[at] = isOpaque && at % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    private static func sample(_ bitmap: Bitmap, _ x: Int, _ y: Int, _ channel: Int) -> Double {
        let pixel = bitmap[min(max(0, x), bitmap.width - 1), min(max(0, y), bitmap.height - 1)]
        return Double([pixel.red, pixel.green, pixel.blue, pixel.alpha][channel])
    }

    @Test(arguments: [(9, 7, 1), (9, 7, 3), (1, 1, 4), (5, 1, 2), (1, 6, 2), (4, 3, 9)])
    func blurEqualsAnAlphaWeightedGaussian(_ width: Int, _ height: Int, _ radius: Int) throws {
        let image = Self.noise(width, height, seed: 1)
        let sigma = 1.5
        let blurred = try image.blurred(Blur(radius: radius, sigma: sigma))

        for y in 0..<height {
            for x in 0..<width {
                var (sums, alphas, weights) = ([0.0, 0, 0], 0.0, 0.0)
                for v in -radius...radius {
                    for u in -radius...radius {
                        let weight = exp(-Double(u * u + v * v) / (2 * sigma * sigma))
                        let alpha = Self.sample(image, x + u, y + v, 3) * weight
                        for color in 0..<3 { sums[color] += Self.sample(image, x + u, y + v, color) * alpha }
                        alphas += alpha
                        weights += weight
                    }
                }
                let pixel = blurred[x, y]
                #expect(abs(Double(pixel.alpha) - alphas / weights) <= 0.51)
                #expect(abs(Double(pixel.red) - sums[0] / alphas) <= 0.51)
                #expect(abs(Double(pixel.blue) - sums[2] / alphas) <= 0.51)
            }
        }
    }

    @Test func blurDoesNotChangeAnImageOfOneColor() throws {
        for value: UInt8 in [0, 1, 100, 254, 255] {
            let flat = Bitmap(width: 7, height: 5) { pixels in
                for at in 0..<pixels.count { pixels[at] = at % 4 == 3 ? 255 : value }
            }
            for radius in [1, 2, 10, 150, 1000] {
                #expect(try flat.blurred(Blur(radius: radius)).copyBytes() == flat.copyBytes())
            }
        }
    }

    @Test func colorOfTransparentPixelsIsNotBlurredIntoNeighborPixels() throws {
        let image = Bitmap(width: 9, height: 1) { pixels in
            for x in 0..<9 {
                let isRed = x < 4
                RGBA8(red: isRed ? 255 : 0, green: isRed ? 0 : 255, blue: 0, alpha: isRed ? 255 : 0)
                    .store(in: &pixels, at: x * 4)
            }
        }

        let blurred = try image.blurred(Blur(radius: 3))

        for x in 0..<9 where blurred[x, 0].alpha > 0 {
            #expect(blurred[x, 0].red == 255 && blurred[x, 0].green == 0)
        }
        #expect((1..<255).contains(blurred[4, 0].alpha))
    }

    @Test(arguments: [1, 3, 5], [1, 3])
    func convolutionEqualsTheSumOfPixelsWeightedByItsMatrix(_ columns: Int, _ rows: Int) throws {
        var random = SplitMix(seed: UInt64(columns * 10 + rows))
        let weights = (0..<columns * rows).map { _ in Double(Int.random(in: -8...9, using: &random)) / 4 }
        let kernel = try #require(Convolution(weights: weights, columns: columns, normalizes: false))
        for isOpaque in [true, false] {
            let image = Self.noise(6, 5, seed: 3, isOpaque: isOpaque)
            let result = try image.convolved(by: kernel)

            for y in 0..<5 {
                for x in 0..<6 {
                    for channel in 0..<4 {
                        var sum = 0.0
                        for (index, weight) in weights.enumerated() {
                            let (u, v) = (index % columns - columns / 2, index / columns - rows / 2)
                            sum += weight * Self.sample(image, x + u, y + v, channel)
                        }
                        let expected = channel == 3 && isOpaque ? 255 : min(255, max(0, sum))
                        #expect(abs(Self.sample(result, x, y, channel) - expected) <= 0.51)
                    }
                }
            }
        }
    }

    @Test(arguments: [(9, 0), (9, 2), (8, 3), (6, 3), (3, 0), (10, 5), (0, 3)])
    func convolutionMatrixThatIsIncompleteOrHasNoCenterIsRejected(_ count: Int, _ columns: Int) {
        #expect(Convolution(weights: Array(repeating: 1, count: count), columns: columns, normalizes: true) == nil)
    }

    /// An à trous wavelet decomposition in five steps whose detail levels are amplified.
    @Test(arguments: [(37, 35), (5, 3), (1, 1), (1, 9)])
    func sharpeningAmplifiesTheDetailOfEachWaveletLevel(_ width: Int, _ height: Int) throws {
        let image = Self.noise(width, height, seed: 8)
        let sharpening = Sharpening(amount: 1.3, radius: 0.7, isLuminanceOnly: false)
        let result = try image.sharpened(sharpening)

        func place(_ index: Int, _ count: Int) -> Int {
            var index = index
            while index < 0 || index >= count { index = count == 1 ? 0 : index < 0 ? -index : 2 * count - 2 - index }
            return index
        }
        var base = (0..<width * height).map { Self.sample(image, $0 % width, $0 / width, 0) }
        var sum = [Double](repeating: 0, count: base.count)
        for step in 0..<5 {
            let distance = 1 << step
            var across = base
            var smooth = base
            for (source, axis) in [(base, 0), (across, 1)] {
                let source = axis == 0 ? source : across
                for y in 0..<height {
                    for x in 0..<width {
                        let (dx, dy) = axis == 0 ? (distance, 0) : (0, distance)
                        let before = source[place(y - dy, height) * width + place(x - dx, width)]
                        let after = source[place(y + dy, height) * width + place(x + dx, width)]
                        let value = (2 * source[y * width + x] + before + after) / 4
                        if axis == 0 { across[y * width + x] = value } else { smooth[y * width + x] = value }
                    }
                }
            }
            let gain = 1 + 1.3 * exp(-pow(Double(step) - 0.7, 2) / 1.5)
            for index in sum.indices { sum[index] += gain * (base[index] - smooth[index]) }
            base = smooth
        }
        for index in sum.indices {
            let exact = min(255, max(0, sum[index] + base[index]))
            #expect(abs(Self.sample(result, index % width, index / width, 0) - exact) <= 0.51)
            #expect(result[index % width, index / width].alpha == image[index % width, index / width].alpha)
        }
    }
}
