import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct ResizeTests {
    private static func flat(_ width: Int, _ height: Int, _ pixel: RGBA8) -> Bitmap {
        Bitmap(width: width, height: height) { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) {
                pixels[at] = pixel.red
                pixels[at + 1] = pixel.green
                pixels[at + 2] = pixel.blue
                pixels[at + 3] = pixel.alpha
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases, [false, true])
    func uniformColorIsUnchangedByResizing(_ filter: ResampleFilter, _ linearLight: Bool) throws {
        for pixel in [
            RGBA8(red: 255, green: 1, blue: 0), RGBA8(red: 254, green: 128, blue: 77),
            RGBA8(red: 0, green: 3, blue: 255, alpha: 128), RGBA8(red: 200, green: 254, blue: 90, alpha: 254),
        ] {
            let source = Self.flat(37, 29, pixel)
            for (width, height) in [(1, 1), (5, 60), (36, 28), (38, 30), (100, 7)] {
                let result = try source.resized(
                    width: width, height: height, filter: filter, linearLight: linearLight)
                let expected = Self.flat(width, height, pixel)
                #expect(result.copyBytes() == expected.copyBytes(), "\(pixel) at \(width) x \(height)")
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases, RandomImage.allCases)
    func resizingToTheSameSizeCopiesEveryByte(_ filter: ResampleFilter, _ image: RandomImage) throws {
        var random = SplitMix(seed: 3)
        let source = image.bitmap(19, 23, using: &random)

        for linearLight in [false, true] {
            let result = try source.resized(width: 19, height: 23, filter: filter, linearLight: linearLight)
            #expect(result.copyBytes() == source.copyBytes())
        }
    }

    @Test(arguments: ResampleFilter.allCases)
    func cropWithoutScalingCopiesThePixelsOfTheCrop(_ filter: ResampleFilter) throws {
        var random = SplitMix(seed: 4)
        let source = RandomImage.translucent.bitmap(31, 27, using: &random)

        let part = try source.resized(
            width: 12, height: 9, crop: PixelRectangle(x: 19, y: 5, width: 40, height: 9), filter: filter)

        for y in 0..<9 {
            for x in 0..<12 { #expect(part[x, y] == source[19 + x, 5 + y]) }
        }
    }

    @Test func nearestFilterUsesTheSourcePixelAtTheCenter() throws {
        var random = SplitMix(seed: 5)
        let source = RandomImage.translucent.bitmap(13, 11, using: &random)
        for (width, height) in [(1, 1), (4, 7), (13, 40), (50, 3)] {
            let result = try source.resized(width: width, height: height, filter: .nearest)
            for y in 0..<height {
                for x in 0..<width {
                    #expect(result[x, y] == source[(2 * x + 1) * 13 / (2 * width), (2 * y + 1) * 11 / (2 * height)])
                }
            }
        }
    }

    @Test func boxFilterWithAnIntegerFactorGivesTheMeanOfTheSourcePixels() throws {
        var random = SplitMix(seed: 6)
        let source = RandomImage.opaque.bitmap(24, 12, using: &random)

        let result = try source.resized(width: 6, height: 3, filter: .box)

        for y in 0..<3 {
            for x in 0..<6 {
                var sum = 0
                for j in 0..<16 { sum += Int(source[x * 4 + j % 4, y * 4 + j / 4].green) }
                #expect(Int(result[x, y].green) == (sum + 8) / 16)
            }
        }
    }

    @Test func linearLightAverageOfBlackAndWhiteIs188() throws {
        let source = Bitmap(width: 8, height: 8) { pixels in
            for i in 0..<64 {
                for c in 0..<3 { pixels[i * 4 + c] = (i + i / 8) % 2 == 0 ? 255 : 0 }
                pixels[i * 4 + 3] = 255
            }
        }

        let plain = try source.resized(width: 4, height: 4, filter: .box)
        let light = try source.resized(width: 4, height: 4, filter: .box, linearLight: true)

        // Half of the linear light is 187.5 in sRGB (IEC 61966-2-1).
        #expect(plain.copyBytes() == Self.flat(4, 4, RGBA8(red: 128, green: 128, blue: 128)).copyBytes())
        #expect(light.copyBytes() == Self.flat(4, 4, RGBA8(red: 188, green: 188, blue: 188)).copyBytes())
    }

    @Test(arguments: ResampleFilter.allCases)
    func opaqueImageStaysOpaqueWithAndWithoutTheOpaqueHint(_ filter: ResampleFilter) throws {
        var random = SplitMix(seed: 8)
        let source = RandomImage.opaque.bitmap(40, 33, using: &random)
        for (width, height) in [(7, 5), (39, 34), (90, 66)] {
            for linearLight in [false, true] {
                var request = ResampleRequest(
                    sourceWidth: 40, sourceHeight: 33, width: width, height: height, filter: filter)
                request.linearLight = linearLight
                let found = try source.resized(by: request, flag: nil)
                request.isOpaque = true
                let withHint = try source.resized(by: request, flag: nil)

                #expect(found.copyBytes() == withHint.copyBytes())
                #expect(stride(from: 3, to: found.byteCount, by: 4).allSatisfy { withHint.copyBytes()[$0] == 255 })
            }
        }
    }

    /// Places one transparent pixel at every position of the pixel blocks that the opacity test reads.
    @Test func imageWithOneTransparentPixelAtAnyPositionIsNotTreatedAsOpaque() throws {
        for column in 0..<40 {
            for row in [0, 1, 2, 9, 10] {
                let source = Bitmap(width: 40, height: 11) { pixels in
                    for index in 0..<pixels.count { pixels[index] = 255 }
                    pixels[(row * 40 + column) * 4 + 3] = 0
                }
                let result = try source.resized(width: 20, height: 6, filter: .box)
                #expect(result[column / 2, min(5, row * 6 / 11)].alpha < 255, "\(column), \(row)")
            }
        }
    }

    @Test(arguments: ResampleFilter.allCases.filter { $0 != .nearest }, [false, true])
    func colorsOfTransparentPixelsDoNotAffectTheResult(_ filter: ResampleFilter, _ linearLight: Bool) throws {
        func stripes(under: RGBA8) -> Bitmap {
            Bitmap(width: 60, height: 44) { pixels in
                for y in 0..<44 {
                    for x in 0..<60 {
                        let at = (y * 60 + x) * 4
                        let isOpaque = (x + y / 3) % 7 < 4
                        pixels[at] = isOpaque ? UInt8(40 + x) : under.red
                        pixels[at + 1] = isOpaque ? UInt8(60 + y) : under.green
                        pixels[at + 2] = isOpaque ? 50 : under.blue
                        pixels[at + 3] = isOpaque ? 255 : 0
                    }
                }
            }
        }
        let magenta = stripes(under: RGBA8(red: 255, green: 0, blue: 255))
        let black = stripes(under: RGBA8(red: 0, green: 0, blue: 0))

        for (width, height) in [(9, 7), (25, 17), (77, 50)] {
            let first = try magenta.resized(width: width, height: height, filter: filter, linearLight: linearLight)
            let second = try black.resized(width: width, height: height, filter: filter, linearLight: linearLight)
            #expect(first.copyBytes() == second.copyBytes())
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = first[x, y]
                    #expect(pixel.alpha > 0 || pixel == RGBA8(red: 0, green: 0, blue: 0, alpha: 0))
                }
            }
        }
    }

    /// The filter covers 120,000 source pixels; a fixed-point weight has only 16,384 steps from 0 to 1.
    @Test(arguments: ResampleFilter.allCases)
    func reducingAColumnOf120000PixelsToOneKeepsTheMean(_ filter: ResampleFilter) throws {
        let count = 120_000
        let source = Bitmap(width: 1, height: count) { pixels in
            for y in 0..<count {
                for c in 0..<4 { pixels[y * 4 + c] = c == 3 ? 255 : UInt8(y * 256 / count) }
            }
        }

        let result = try source.resized(width: 1, height: 1, filter: filter)

        #expect((127...128).contains(result[0, 0].green))
    }
}
