import PlatformImage
import Testing

@testable import PlatformImageService

/// Pixels that thumbor computed from ``image``, and the filters that it applied.
enum ThumborTable {
    static let (width, height) = (40, 34)
    static let rows = [0, 7, 33]

    /// The source image, computed with the formulas of Fixtures/make/thumbor_filters.py.
    static let image = Bitmap(width: width, height: height) { pixels in
        for y in 0..<height {
            for x in 0..<width {
                let at = (y * width + x) * 4
                pixels[at] = UInt8((x * 6 + y) % 256)
                pixels[at + 1] = UInt8((x * x + y * y) / 8 % 256)
                pixels[at + 2] = UInt8((x ^ y) * 7 % 256)
                pixels[at + 3] = 255
            }
        }
    }

    /// The filters of the table, as the URL parser returns them.
    static let filters: [String: PixelFilter] = [
        "brightness(20)": .brightness(20),
        "brightness(-35)": .brightness(-35),
        "contrast(40)": .contrast(40),
        "contrast(-60)": .contrast(-60),
        "rgb(20,-10,40)": .rgb(red: 20, green: -10, blue: 40),
        "saturation(0.4)": .saturation(decimal(4, per: 10)),
        "saturation(2.5)": .saturation(decimal(25, per: 10)),
        "equalize()": .equalize,
        "blur(3)": .blur(radius: 3, sigma: FixedDecimal(3)),
        "blur(5,2)": .blur(radius: 5, sigma: FixedDecimal(2)),
        "sharpen(2,1,true)": .sharpen(amount: FixedDecimal(2), radius: FixedDecimal(1), luminanceOnly: true),
        "sharpen(3,0.5,false)": .sharpen(amount: FixedDecimal(3), radius: decimal(5, per: 10), luminanceOnly: false),
        "convolution(1;2;1;2;4;2;1;2;1,3,true)": .convolution(
            weights: [1, 2, 1, 2, 4, 2, 1, 2, 1].map { FixedDecimal($0) }, columns: 3, normalizes: true),
        "convolution(-1;-1;-1;-1;8;-1;-1;-1;-1,3,false)": .convolution(
            weights: [-1, -1, -1, -1, 8, -1, -1, -1, -1].map { FixedDecimal($0) }, columns: 3, normalizes: false),
        "grayscale()": .grayscale,
    ]

    static func decimal(_ part: Int, per whole: Int) -> FixedDecimal {
        FixedDecimal(units: part * (FixedDecimal.scale / whole))
    }

    static func bytes(hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}

@Suite struct RenderThumborTests {
    /// thumbor truncates samples that this renderer rounds. A blur has two such passes, horizontal and vertical.
    @Test(arguments: ThumborTable.entries.map(\.filter))
    func eachFilterMatchesThumborWithin1LevelExceptBlurWithin2Levels(_ name: String) throws {
        let filter = try #require(ThumborTable.filters[name])
        let entry = try #require(ThumborTable.entries.first { $0.filter == name })
        let expected = ThumborTable.bytes(hex: entry.samples)
        try #require(expected.count == 3 * 3 * ThumborTable.width)

        let result = try ThumborTable.image.applying(filter)

        var largest = 0
        var at = 0
        for y in ThumborTable.rows {
            for x in 0..<ThumborTable.width {
                let pixel = result[x, y]
                for sample in [pixel.red, pixel.green, pixel.blue] {
                    largest = max(largest, abs(Int(sample) - Int(expected[at])))
                    at += 1
                }
                #expect(pixel.alpha == 255)
            }
        }
        #expect(largest <= (name.hasPrefix("blur") ? 2 : 1))
    }
}
