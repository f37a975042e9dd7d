import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite struct RenderCanvasTests {
    private static let green = RGBA8(red: 10, green: 200, blue: 30)

    /// The first 256 pixels differ. Pixels whose index is 3 modulo 4 are transparent; of the others, pixels whose index
    /// is 2 modulo 3 are half transparent.
    private static func numbered(_ width: Int, _ height: Int) -> Bitmap {
        Bitmap(width: width, height: height) { pixels in
            for index in 0..<width * height {
                RGBA8(
                    red: UInt8(index % 256), green: UInt8(index * 5 % 256), blue: 9,
                    alpha: index % 4 == 3 ? 0 : index % 3 == 2 ? 128 : 255
                ).store(in: &pixels, at: index * 4)
            }
        }
    }

    private func canvas(
        _ color: FillColor, _ width: Int, _ height: Int, at left: Int, _ top: Int, blends: Bool = false
    ) -> RenderStep.Canvas {
        RenderStep.Canvas(color: color, width: width, height: height, left: left, top: top, blendsTransparency: blends)
    }

    @Test(arguments: -7...9, [-5, -1, 0, 2, 8])
    func canvasContainsTheImageAtItsOffsetAndTheFillColorElsewhere(_ left: Int, _ top: Int) throws {
        let image = Self.numbered(5, 4)
        for blends in [false, true] {
            let result = try image.placed(on: canvas(.color(Self.green), 8, 6, at: left, top, blends: blends))

            #expect(result.width == 8 && result.height == 6)
            for y in 0..<6 {
                for x in 0..<8 {
                    let isInside = (0..<5).contains(x - left) && (0..<4).contains(y - top)
                    var expected = isInside ? image[x - left, y - top] : Self.green
                    if blends { expected = expected.over(Self.green) }
                    #expect(result[x, y] == expected)
                }
            }
        }
    }

    @Test func averageFillColorIgnoresTransparentPixels() throws {
        let image = Bitmap(width: 4, height: 1) { pixels in
            RGBA8(red: 10, green: 0, blue: 255).store(in: &pixels, at: 0)
            RGBA8(red: 21, green: 0, blue: 255).store(in: &pixels, at: 4)
            RGBA8(red: 255, green: 255, blue: 0, alpha: 0).store(in: &pixels, at: 8)
            RGBA8(red: 255, green: 255, blue: 0, alpha: 0).store(in: &pixels, at: 12)
        }

        let result = try image.placed(on: canvas(.average, 6, 1, at: 1, 0))

        #expect(result[0, 0] == RGBA8(red: 15, green: 0, blue: 255))
        #expect(result[3, 0].alpha == 0)
    }

    @Test func blurredCanvasBackgroundIsTheBlurredAndStretchedImage() throws {
        let image = Self.numbered(9, 6)

        let result = try image.placed(on: canvas(.blur, 20, 6, at: 5, 0))

        let model = try image.blurred(Blur(radius: 50)).resized(width: 20, height: 6)
        for y in 0..<6 {
            for x in 0..<20 {
                #expect(result[x, y] == ((5..<14).contains(x) ? image[x - 5, y] : model[x, y]))
            }
        }
    }

    @Test func backgroundColorFilterBlendsTheColorUnderTransparentPixels() throws {
        let image = Self.numbered(7, 5)

        let result = try image.applying(.backgroundColor(Self.green))

        for y in 0..<5 {
            for x in 0..<7 {
                let (pixel, old) = (result[x, y], image[x, y])
                #expect(pixel.alpha == 255)
                let share = Double(old.alpha) / 255
                let exact = Double(old.red) * share + Double(Self.green.red) * (1 - share)
                #expect(abs(Double(pixel.red) - exact) <= 0.5 + 1e-9)
            }
        }
    }

    @Test func roundedCornersChangeOnlyTheFourCorners() throws {
        let white = Bitmap(width: 30, height: 20) { pixels in for at in 0..<pixels.count { pixels[at] = 255 } }

        let clear = try white.rounded(RoundedCorners(across: 8, down: 8, color: nil))
        let painted = try white.rounded(RoundedCorners(across: 8, down: 8, color: Self.green))

        for y in 0..<20 {
            for x in 0..<30 {
                #expect(clear[x, y] == clear[29 - x, y] && clear[x, y] == clear[x, 19 - y])
                #expect(painted[x, y].alpha == 255)
                let isCorner = min(x, 29 - x) < 8 && min(y, 19 - y) < 8
                if !isCorner { #expect(clear[x, y] == white[x, y] && painted[x, y] == white[x, y]) }
            }
        }
        #expect(clear[0, 0].alpha == 0 && painted[0, 0] == Self.green)
        #expect((1..<255).contains(clear[2, 2].alpha))
    }

    @Test func cornerRadiiAreLimitedToHalfOfTheImageSides() throws {
        let white = Bitmap(width: 11, height: 6) { pixels in for at in 0..<pixels.count { pixels[at] = 255 } }

        let huge = try white.rounded(RoundedCorners(across: 999_999_999, down: 999_999_999, color: nil))

        #expect(huge.copyBytes() == (try white.rounded(RoundedCorners(across: 5, down: 3, color: nil))).copyBytes())
        #expect(try white.rounded(RoundedCorners(across: 0, down: 4, color: nil)).copyBytes() == white.copyBytes())
    }
}
