import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite struct RenderToneTests {
    /// All 256 values of each colour channel, in rows of 16. Every second pixel has its index as alpha; the others are
    /// opaque.
    static let ramp = Bitmap(width: 16, height: 16) { pixels in
        for value in 0..<256 {
            RGBA8(
                red: UInt8(value), green: UInt8(255 - value), blue: UInt8(value * 7 % 256),
                alpha: value % 2 == 0 ? 255 : UInt8(value)
            ).store(in: &pixels, at: value * 4)
        }
    }

    private func pixels(of bitmap: Bitmap) -> [RGBA8] {
        (0..<bitmap.height).flatMap { y in (0..<bitmap.width).map { bitmap[$0, y] } }
    }

    @Test(arguments: [-100, -99, -1, 0, 1, 2, 50, 99, 100, 1000, -1000])
    func brightnessAddsAPercentageOf255ToEachSample(_ percent: Int) throws {
        let result = try Self.ramp.mapped(by: .brightness(percent: percent))

        let added = Int((255 * Double(percent) / 100).rounded(.towardZero))
        for (new, old) in zip(pixels(of: result), pixels(of: Self.ramp)) {
            #expect(Int(new.red) == min(255, max(0, Int(old.red) + added)))
            #expect(Int(new.green) == min(255, max(0, Int(old.green) + added)))
            #expect(Int(new.blue) == min(255, max(0, Int(old.blue) + added)))
            #expect(new.alpha == old.alpha)
        }
    }

    @Test(arguments: [-100, -50, -7, 0, 1, 33, 100, 1000])
    func contrastScalesTheDifferenceOfEachSampleFrom128(_ percent: Int) throws {
        let result = try Self.ramp.mapped(by: .contrast(percent: percent))

        let share = Double(100 + percent) / 100
        let factor = (share * share * 100).rounded(.down) / 100
        for (new, old) in zip(pixels(of: result), pixels(of: Self.ramp)) {
            let exact = min(255, max(0, 128 + factor * (Double(old.red) - 128)))
            #expect(abs(Double(new.red) - exact) < 1)
            #expect(new.alpha == old.alpha)
        }
    }

    @Test func filtersWithNeutralValuesDoNotChangePixels() throws {
        let ramp = Self.ramp.copyBytes()

        #expect(try Self.ramp.applying(.brightness(0)).copyBytes() == ramp)
        #expect(try Self.ramp.applying(.contrast(0)).copyBytes() == ramp)
        #expect(try Self.ramp.applying(.rgb(red: 0, green: 0, blue: 0)).copyBytes() == ramp)
        #expect(try Self.ramp.applying(.saturation(FixedDecimal(1))).copyBytes() == ramp)
        #expect(
            try Self.ramp.applying(.sharpen(amount: FixedDecimal(0), radius: FixedDecimal(1), luminanceOnly: false))
                .copyBytes() == ramp)
    }

    @Test func saturationOfZeroGivesTheWeightedRootMeanSquareGray() throws {
        let result = try Self.ramp.saturated(by: 0)

        for (new, old) in zip(pixels(of: result), pixels(of: Self.ramp)) {
            let squares = [(0.299, old.red), (0.587, old.green), (0.114, old.blue)].map { $0.0 * pow(Double($0.1), 2) }
            #expect(abs(Double(new.red) - sqrt(squares.reduce(0, +))) <= 0.5 + 1e-9)
            #expect(new.red == new.green && new.green == new.blue && new.alpha == old.alpha)
        }
    }

    @Test func bitonalIsBlackBelow128AndWhiteFrom128() throws {
        let gray = Bitmap(width: 256, height: 1) { pixels in
            for value in 0..<256 {
                let sample = UInt8(value)
                RGBA8(red: sample, green: sample, blue: sample, alpha: sample).store(in: &pixels, at: value * 4)
            }
        }

        let result = try gray.bitonal()

        for value in 0..<256 {
            let sample: UInt8 = value < 128 ? 0 : 255
            #expect(result[value, 0] == RGBA8(red: sample, green: sample, blue: sample, alpha: UInt8(value)))
        }
    }

    @Test func equalizeMatchesADirectHistogramEqualization() throws {
        var random = SplitMix(seed: 5)
        let image = Bitmap(width: 23, height: 17) { pixels in
            for at in 0..<pixels.count { pixels[at] = UInt8.random(in: 40...90, using: &random) }
        }

        let result = try image.applying(.equalize)

        let old = pixels(of: image)
        let darkest = old.map(\.red).min() ?? 0
        let first = old.count { $0.red == darkest }
        for (new, pixel) in zip(pixels(of: result), old) {
            let upTo = old.count { $0.red <= pixel.red }
            let exact = 255 * Double(upTo - first) / Double(old.count - first)
            #expect(abs(Double(new.red) - exact) <= 0.5 + 1e-9)
            #expect(new.alpha == pixel.alpha)
        }
    }

    @Test func equalizeDoesNotChangeAnImageOfOneColor() throws {
        let flat = Bitmap(width: 3, height: 3) { pixels in for at in 0..<pixels.count { pixels[at] = 77 } }

        #expect(try flat.applying(.equalize).copyBytes() == flat.copyBytes())
    }
}
