import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite struct RenderTrimTests {
    /// A random image with zero to four pixels that differ from the border colour.
    private static func speckled(_ random: inout SplitMix) -> Bitmap {
        let (width, height) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...7, using: &random))
        let count = Int.random(in: 0...4, using: &random)
        let places = (0..<count).map { _ in Int.random(in: 0..<width * height, using: &random) }
        let values = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        return Bitmap(width: width, height: height) { pixels in
            for index in 0..<width * height {
                RGBA8(red: 100, green: 100, blue: 100).store(in: &pixels, at: index * 4)
            }
            for (place, value) in zip(places, values) { pixels[place * 4 + Int(value) % 3] = value }
        }
    }

    private func distance(_ a: RGBA8, _ b: RGBA8) -> Double {
        let pairs = [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)]
        return sqrt(pairs.map { pow(Double($0.0) - Double($0.1), 2) }.reduce(0, +))
    }

    @Test func trimmedRectangleIsTheSmallestThatContainsAllPixelsBeyondTheTolerance() throws {
        var random = SplitMix(seed: 11)
        for _ in 0..<400 {
            let image = Self.speckled(&random)
            for corner in Operations.Trim.Corner.allCases {
                for tolerance in [0, 1, 30, 100, 442] {
                    let trim = Operations.Trim(corner: corner, tolerance: tolerance)
                    let box = try image.bounds(trimmedBy: trim)

                    let border =
                        corner == .topLeft ? image[0, 0] : image[image.width - 1, image.height - 1]
                    let places = (0..<image.width * image.height).filter {
                        distance(image[$0 % image.width, $0 / image.width], border) > Double(tolerance)
                    }
                    let columns = places.map { $0 % image.width }
                    let rows = places.map { $0 / image.width }
                    guard let left = columns.min(), let right = columns.max(), let top = rows.min(),
                        let bottom = rows.max()
                    else {
                        #expect(box == nil)
                        continue
                    }
                    #expect(
                        box == PixelRectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1))
                }
            }
        }
    }

    @Test func transparentBorderPixelsAreTrimmedRegardlessOfColor() throws {
        let image = Bitmap(width: 5, height: 4) { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) { pixels[at] = UInt8(at) }
            for at in 0..<4 { pixels[(2 * 5 + 3) * 4 + at] = at == 3 ? 255 : 0 }
        }

        let box = try image.bounds(trimmedBy: Operations.Trim(corner: .topLeft, tolerance: 0))

        #expect(box == PixelRectangle(x: 3, y: 2, width: 1, height: 1))
    }
}

@Suite struct RenderSmartTests {
    /// A flat image with noise inside `box`.
    private static func noisy(_ width: Int, _ height: Int, at box: PixelRectangle) -> Bitmap {
        var random = SplitMix(seed: 2)
        return Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let isInside =
                        (box.x..<box.x + box.width).contains(x) && (box.y..<box.y + box.height).contains(y)
                    let value: UInt8 = isInside ? UInt8.random(in: 0...255, using: &random) : 90
                    RGBA8(red: value, green: value, blue: value).store(in: &pixels, at: (y * width + x) * 4)
                }
            }
        }
    }

    private func plan(_ width: Int, _ height: Int, crop: PixelRectangle) -> RenderPlan {
        RenderPlan(
            sourceWidth: width, sourceHeight: height,
            region: PixelRectangle(x: 0, y: 0, width: width, height: height), crop: crop, isCropSearched: true,
            width: crop.width, height: crop.height, flipsHorizontally: false, flipsVertically: false, steps: [],
            resultWidth: crop.width, resultHeight: crop.height, output: OutputFormatRequest(quality: 80),
            focalPoints: [])
    }

    @Test(arguments: [0, 20, 41, 60])
    func smartCropMovesToTheRegionWithDetail(_ place: Int) throws {
        let wide = Self.noisy(80, 20, at: PixelRectangle(x: place, y: 4, width: 20, height: 12))
        var across = plan(80, 20, crop: PixelRectangle(x: 30, y: 0, width: 20, height: 20))
        try across.moveCrop(using: wide)
        #expect(across.crop == PixelRectangle(x: place, y: 0, width: 20, height: 20))

        let high = Self.noisy(20, 80, at: PixelRectangle(x: 4, y: place, width: 12, height: 20))
        var down = plan(20, 80, crop: PixelRectangle(x: 0, y: 30, width: 20, height: 20))
        try down.moveCrop(using: high)
        #expect(down.crop == PixelRectangle(x: 0, y: place, width: 20, height: 20))
    }

    @Test func smartCropOfAnImageOfOneColorStaysCentered() throws {
        let flat = Self.noisy(64, 16, at: PixelRectangle(x: 0, y: 0, width: 0, height: 0))
        var moved = plan(640, 160, crop: PixelRectangle(x: 240, y: 0, width: 160, height: 160))

        try moved.moveCrop(using: flat)

        #expect(moved.crop == PixelRectangle(x: 240, y: 0, width: 160, height: 160))
    }

    @Test func smartCropStaysInsideTheImage() throws {
        var random = SplitMix(seed: 4)
        for _ in 0..<60 {
            let (width, height) = (Int.random(in: 1...3000, using: &random), Int.random(in: 1...3000, using: &random))
            let (cropWidth, cropHeight) = (
                Int.random(in: 1...width, using: &random), Int.random(in: 1...height, using: &random)
            )
            var moved = plan(
                width, height, crop: PixelRectangle(x: 0, y: 0, width: cropWidth, height: cropHeight))
            let (smallWidth, smallHeight) = moved.searchedSize
            #expect(max(smallWidth, smallHeight) <= RenderPlan.searchedSide)
            // The search cost is positions times pixels, so the test uses a smaller image with the same arithmetic.
            let image = Self.noisy(
                min(smallWidth, 12), min(smallHeight, 12), at: PixelRectangle(x: 0, y: 0, width: 3, height: 3))
            try moved.moveCrop(using: image)

            #expect(moved.crop.x >= 0 && moved.crop.x + cropWidth <= width)
            #expect(moved.crop.y >= 0 && moved.crop.y + cropHeight <= height)
            #expect(moved.crop.width == cropWidth && moved.crop.height == cropHeight)
        }
    }
}
