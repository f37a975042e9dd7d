import Testing

@testable import PlatformImage

/// Comparisons with the results of Pillow in ``PillowTable``.
@Suite struct PillowTests {
    /// The source image, computed with the formulas of Fixtures/make/pixel_operations.py.
    static let image = Bitmap(width: 7, height: 5) { pixels in
        for y in 0..<5 {
            for x in 0..<7 {
                let at = (y * 7 + x) * 4
                pixels[at] = UInt8((37 * x + 59 * y) % 256)
                pixels[at + 1] = UInt8((x * x * 11 + 101 * y) % 256)
                pixels[at + 2] = UInt8((x * 83 + y * y * 29 + 7) % 256)
                pixels[at + 3] = UInt8((x * 53 + y * 31) % 256)
            }
        }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String { String(hexadecimal: bytes) }

    @Test func cropsEqualPillow() throws {
        for (rectangle, pixels) in PillowTable.crops {
            let crop = PixelRectangle(x: rectangle[0], y: rectangle[1], width: rectangle[2], height: rectangle[3])

            let result = try Self.image.cropped(to: crop)

            #expect(Self.hexadecimal(result.copyBytes()) == pixels.digits, "crop \(crop)")
            #expect(result.width == min(7, crop.x + crop.width) - max(0, crop.x))
            #expect(result.height == min(5, crop.y + crop.height) - max(0, crop.y))
        }
    }

    @Test func allOrientationsEqualPillow() throws {
        #expect(PillowTable.orientations.map(\.orientation) == Orientation.allCases.map(\.rawValue))
        for (value, pixels) in PillowTable.orientations {
            let orientation = try #require(Orientation(rawValue: value))

            let result = try Self.image.oriented(orientation)

            #expect(Self.hexadecimal(result.copyBytes()) == pixels.digits, "orientation \(value)")
            #expect(result.width == (orientation.swapsSides ? 5 : 7))
        }
    }

    @Test func rotationsAndFlipsEqualPillow() throws {
        let image = Self.image
        let results = [
            "rotated by 90": try image.rotated(by: .degrees90),
            "rotated by 180": try image.rotated(by: .degrees180),
            "rotated by 270": try image.rotated(by: .degrees270),
            "flipped horizontally": try image.flippedHorizontally(),
            "flipped vertically": try image.flippedVertically(),
        ]

        #expect(results.count == PillowTable.operations.count)
        for (name, pixels) in PillowTable.operations {
            #expect(results[name].map { Self.hexadecimal($0.copyBytes()) } == pixels.digits, "\(name)")
        }
    }

    @Test func layoutsEqualPillow() throws {
        for (name, pixels) in PillowTable.layouts {
            let layout = try #require(PixelLayout(rawValue: name))

            #expect(Self.hexadecimal(try Self.image.bytes(layout: layout)) == pixels.digits, "\(name)")
        }
    }
}

extension String {
    fileprivate var digits: String { filter { !$0.isNewline } }
}
