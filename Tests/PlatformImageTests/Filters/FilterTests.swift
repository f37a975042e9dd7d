import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct FilterTests {
    private static func noise(_ width: Int, _ height: Int, seed: UInt64) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count { pixels[at] = UInt8.random(in: 0...255, using: &random) }
        }
    }

    @Test func grayscaleIsTheRoundedLumaOfITURBT601() throws {
        let image = Self.noise(64, 64, seed: 1)

        let result = try image.grayscale()

        for y in 0..<64 {
            for x in 0..<64 {
                let (old, new) = (image[x, y], result[x, y])
                let exact = 0.299 * Double(old.red) + 0.587 * Double(old.green) + 0.114 * Double(old.blue)
                #expect(abs(Double(new.red) - exact) <= 0.51)
                #expect(new == RGBA8(red: new.red, green: new.red, blue: new.red, alpha: old.alpha))
            }
        }
    }

    @Test(arguments: [0, 1, 100, 254, 255] as [UInt8])
    func tintIsCompositedOverEverySampleAndKeepsAlpha(_ alpha: UInt8) throws {
        let ramp = Bitmap(width: 256, height: 1) { pixels in
            for x in 0..<256 {
                for color in 0..<3 { pixels[x * 4 + color] = UInt8(x) }
                pixels[x * 4 + 3] = UInt8(255 - x)
            }
        }

        let result = try ramp.tinted(with: RGBA8(red: 255, green: 40, blue: 0, alpha: alpha))

        let share = Double(alpha) / 255
        for x in 0..<256 {
            let pixel = result[x, 0]
            for (sample, tint) in [(pixel.red, 255.0), (pixel.green, 40), (pixel.blue, 0)] {
                #expect(abs(Double(sample) - (tint * share + Double(x) * (1 - share))) <= 0.5 + 1e-9)
            }
            #expect(pixel.alpha == UInt8(255 - x))
        }
    }

    @Test func tintEqualsSourceAtopOverVisiblePixels() throws {
        let image = Self.noise(40, 30, seed: 3)
        let color = RGBA8(red: 12, green: 250, blue: 99, alpha: 140)

        let tinted = try image.tinted(with: color)
        let composited = try image.composited(
            Bitmap(width: 40, height: 30, filledWith: color), operator: .sourceAtop)

        for y in 0..<30 {
            for x in 0..<40 where image[x, y].alpha > 0 { #expect(tinted[x, y] == composited[x, y]) }
        }
    }

    @Test func neutralParametersDoNotChangePixels() throws {
        let image = Self.noise(9, 7, seed: 5)
        let calls: [() throws -> Bitmap] = [
            { try image.blurred(sigma: 0) }, { try image.sharpened(amount: 0, luminanceOnly: false) },
            { try image.adjustingBrightness(byPercent: 0) }, { try image.adjustingContrast(byPercent: 0) },
            { try image.adjustingSaturation(byFactor: 1) }, { try image.withRoundedCorners(radius: 0) },
            { try image.tinted(with: RGBA8(red: 1, green: 2, blue: 3, alpha: 0)) },
        ]
        for call in calls { #expect(try call().copyBytes() == image.copyBytes()) }
    }

    @Test(arguments: [0.01, 0.5, 4.9, 5, 5.1, 37.5, 250])
    func blurDoesNotChangeAnImageOfOneColor(_ sigma: Double) throws {
        let color = RGBA8(red: 201, green: 7, blue: 90, alpha: 128)
        for (width, height) in [(1, 1), (1, 30), (30, 1), (5, 4)] {
            let flat = try Bitmap(width: width, height: height, filledWith: color)
            #expect(try flat.blurred(sigma: sigma).copyBytes() == flat.copyBytes())
        }
    }

    /// The number of polls is proportional to the rows, and the row buffers do not grow with sigma beyond the height.
    @Test func workOfABlurDoesNotGrowWithSigma() throws {
        let image = Self.noise(20, 100, seed: 2)
        let polls = try [10.0, 50, 250].map { sigma in
            let flag = CancellationFlag()
            _ = try image.blurred(sigma: sigma, cancellation: flag)
            return flag.pollCount
        }
        #expect(Set(polls).count == 1)
    }

    @Test func blurOverTheMemoryLimitThrowsLimitExceeded() {
        var limits = DecodeLimits()
        limits.maxMemory = 100 * 100 * 4 + 5_000
        let image = Self.noise(100, 100, seed: 2)
        let error = #expect(throws: DecodeError.self) { try image.blurred(sigma: 40, limits: limits) }
        #expect(error?.code == .limitExceeded && error?.detail == "maxMemory")
    }

    @Test(arguments: [2.5, 3.25, 7, 9.03])
    func cornerAlphaIsTheFractionOfThePixelInsideTheCircle(_ radius: Double) throws {
        let (width, height) = (23, 19)
        let white = try Bitmap(width: width, height: height, filledWith: RGBA8(red: 255, green: 255, blue: 255))

        let result = try white.withRoundedCorners(radius: radius)

        for y in 0..<height {
            for x in 0..<width {
                var inside = 0
                for v in 0..<16 {
                    for u in 0..<16 {
                        let (px, py) = (Double(x) + (Double(u) + 0.5) / 16, Double(y) + (Double(v) + 0.5) / 16)
                        let dx = max(0, radius - px, px - (Double(width) - radius))
                        let dy = max(0, radius - py, py - (Double(height) - radius))
                        inside += dx * dx + dy * dy <= radius * radius ? 1 : 0
                    }
                }
                // The radius is rounded to 1/32 pixel: samples next to the circle can be on either side.
                #expect(abs(Double(result[x, y].alpha) - 255 * Double(inside) / 256) <= 255 * 5 / 256)
                #expect(result[x, y].red == 255)
            }
        }
    }

    @Test(arguments: [(1, 1), (2, 2), (5, 5), (6, 6), (9, 4), (4, 9), (12, 7), (31, 64)])
    func circleIsSymmetricAndHasTheAreaOfTheInscribedCircle(_ width: Int, _ height: Int) throws {
        let side = min(width, height)
        let image = Bitmap(width: width, height: height) { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) {
                (pixels[at], pixels[at + 1]) = (UInt8(at / 4 % width), UInt8(at / 4 / width))
                pixels[at + 3] = 255
            }
        }

        let result = try image.croppedToCircle()

        #expect(result.width == side && result.height == side)
        var area = 0.0
        for y in 0..<side {
            for x in 0..<side {
                let pixel = result[x, y]
                #expect(Int(pixel.red) == x + (width - side) / 2 && Int(pixel.green) == y + (height - side) / 2)
                #expect(pixel.alpha == result[side - 1 - x, y].alpha && pixel.alpha == result[x, side - 1 - y].alpha)
                area += Double(pixel.alpha) / 255
            }
        }
        let exact = 3.14159265 / 4 * Double(side * side)
        #expect(abs(area - exact) <= 0.03 * Double(side) + 0.02)
    }

    private struct Call: Sendable {
        let name: String
        let numbers: [Double]
        let call: @Sendable (Bitmap, Double) throws -> Bitmap
    }

    private static let calls = [
        Call(name: "sigma", numbers: [-0.1, 250.1, .nan, .infinity]) { try $0.blurred(sigma: $1) },
        Call(name: "amount", numbers: [-1, 1_000.5, .nan]) { try $0.sharpened(amount: $1) },
        Call(name: "radius", numbers: [-1, 1_001, .nan]) { try $0.sharpened(amount: 1, radius: $1) },
        Call(name: "factor", numbers: [-1_001, 1_001, .nan, -.infinity]) { try $0.adjustingSaturation(byFactor: $1) },
        Call(name: "radius", numbers: [-0.5, 2e9, .nan, .infinity]) { try $0.withRoundedCorners(radius: $1) },
    ]

    @Test func numbersOutOfRangeThrow() {
        let image = Self.noise(4, 3, seed: 1)
        for call in Self.calls {
            for number in call.numbers {
                let error = #expect(throws: DecodeError.self) { try call.call(image, number) }
                #expect(error?.code == .invalidArgument && error?.detail == call.name, "\(number)")
            }
        }
    }

    @Test(arguments: [-1_001, 1_001, .min, .max])
    func percentagesOutOfRangeThrow(_ percent: Int) {
        let image = Self.noise(4, 3, seed: 1)
        for call in [
            { try image.adjustingBrightness(byPercent: percent) }, { try image.adjustingContrast(byPercent: percent) },
        ] as [() throws -> Bitmap] {
            let error = #expect(throws: DecodeError.self) { try call() }
            #expect(error?.code == .invalidArgument && error?.detail == "percent")
        }
    }
}
