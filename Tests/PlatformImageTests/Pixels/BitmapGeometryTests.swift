import Testing

@testable import PlatformImage

@Suite struct BitmapGeometryTests {
    /// Whole and partial tiles of 64 pixels, and widths around the vectors of 4 pixels.
    private static let sizes = [(1, 1), (1, 7), (9, 1), (4, 4), (5, 6), (63, 66), (64, 64), (65, 130), (131, 3)]

    /// The position of the pixel in the source that the model shows at (x, y).
    private static func source(
        _ x: Int, _ y: Int, _ orientation: Orientation, _ width: Int, _ height: Int
    ) -> (x: Int, y: Int) {
        switch orientation {
        case .up: (x, y)
        case .upMirrored: (width - 1 - x, y)
        case .down: (width - 1 - x, height - 1 - y)
        case .downMirrored: (x, height - 1 - y)
        case .leftMirrored: (y, x)
        case .right: (y, height - 1 - x)
        case .rightMirrored: (width - 1 - y, height - 1 - x)
        case .left: (width - 1 - y, x)
        }
    }

    @Test(arguments: Orientation.allCases) func orientationMovesEveryPixel(_ orientation: Orientation) throws {
        for (width, height) in Self.sizes {
            let bitmap = PixelLayoutTests.bitmap(width, height)

            let result = try bitmap.oriented(orientation)

            #expect(result.width == (orientation.swapsSides ? height : width))
            #expect(result.height == (orientation.swapsSides ? width : height))
            var wrong = 0
            for y in 0..<result.height {
                for x in 0..<result.width {
                    let from = Self.source(x, y, orientation, width, height)
                    if result[x, y] != bitmap[from.x, from.y] { wrong += 1 }
                }
            }
            #expect(wrong == 0, "\(width) x \(height)")
        }
    }

    @Test func rotationsAndFlipsAreOrientations() throws {
        let bitmap = PixelLayoutTests.bitmap(6, 3)

        #expect(try bitmap.rotated(by: .degrees90) == bitmap.oriented(.right))
        #expect(try bitmap.rotated(by: .degrees180) == bitmap.oriented(.down))
        #expect(try bitmap.rotated(by: .degrees270) == bitmap.oriented(.left))
        #expect(try bitmap.flippedHorizontally() == bitmap.oriented(.upMirrored))
        #expect(try bitmap.flippedVertically() == bitmap.oriented(.downMirrored))
        #expect(try bitmap.rotated(by: .degrees90).rotated(by: .degrees270) == bitmap)
        #expect(RotationAngle.allCases.map(\.rawValue) == [90, 180, 270])
    }

    @Test func everyCropHasExactlyThePixelsInside() throws {
        let bitmap = PixelLayoutTests.bitmap(4, 3)
        for place in 0..<30 {
            for size in 0..<42 {
                let (x, y, width, height) = (place % 6 - 1, place / 6 - 1, size % 7, size / 7)
                let rectangle = PixelRectangle(x: x, y: y, width: width, height: height)
                let columns = (0..<4).filter { $0 >= x && $0 < x + width }
                let rows = (0..<3).filter { $0 >= y && $0 < y + height }

                let result = Result { () throws(DecodeError) in try bitmap.cropped(to: rectangle) }

                guard !columns.isEmpty, !rows.isEmpty else {
                    #expect(throws: DecodeError(.emptyCrop, "")) { try result.get() }
                    continue
                }
                let crop = try result.get()
                #expect([crop.width, crop.height] == [columns.count, rows.count])
                #expect(crop.byteCount == columns.count * rows.count * 4)
                #expect(crop.withBytes { $0.count } == crop.byteCount)
                let pixels = rows.flatMap { y in columns.map { bitmap[$0, y] } }
                #expect(crop.withPixels { pixels in pixels.indices.map { pixels[$0] } } == pixels, "\(rectangle)")
            }
        }
    }

    @Test func cropWithSidesNearOverflowIsClipped() throws {
        let bitmap = PixelLayoutTests.bitmap(4, 3)

        let crop = try bitmap.cropped(to: PixelRectangle(x: 1, y: 1, width: .max, height: .max))

        #expect([crop.width, crop.height] == [3, 2])
        #expect(throws: DecodeError(.emptyCrop, "")) {
            try bitmap.cropped(to: PixelRectangle(x: .min, y: 0, width: .max, height: 1))
        }
    }

    @Test func cropDoesNotKeepTheMemoryOfTheBitmap() async {
        await #expect(processExitsWith: .success) {
            func crop() throws -> Bitmap {
                try Bitmap(width: 1_000, height: 1_000) { _ in }.cropped(
                    to: PixelRectangle(x: 5, y: 5, width: 10, height: 10))
            }
            let result = try crop()
            precondition(Bitmap.liveBitmapBytes == 400)
            precondition(result.byteCount == 400)
        }
    }
}
