import PlatformImage
import PlatformImageTestSupport
import Testing

/// Compares the native PNG decoder with libpng on rows of random bytes with random filters.
@Suite struct PNGFilterTests {
    static let layouts = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16),
        (6, 8), (6, 16),
    ]
    /// Widths in pixels below, at and above the block sizes of the kernels (8, 16 and 32 pixels).
    static let widths = Array(1...40) + [63, 64, 65, 71, 95, 96, 97, 130]

    /// Palettes have an entry for every possible index.
    private func png(_ layout: (Int, Int), width: Int, height: Int, using random: inout SplitMix) -> FilteredPNG {
        var png = FilteredPNG(width: width, height: height, bitDepth: layout.1, colorType: layout.0)
        if layout.0 == 3 {
            png.chunks.append(("PLTE", (0..<3 << layout.1).map { _ in UInt8.random(in: 0...255, using: &random) }))
        }
        return png
    }

    private func rows(
        _ png: FilteredPNG, filters: ClosedRange<UInt8>, bytes: ClosedRange<UInt8> = 0...255,
        using random: inout SplitMix
    ) -> [UInt8] {
        var rows: [UInt8] = []
        for _ in 0..<png.height {
            rows.append(UInt8.random(in: filters, using: &random))
            for _ in 0..<png.bytesPerRow { rows.append(UInt8.random(in: bytes, using: &random)) }
        }
        return rows
    }

    @Test(arguments: layouts)
    func nativeDecoderGivesThePixelsOfLibpngWhenRowsHaveDifferentFilters(_ layout: (Int, Int)) {
        var random = SplitMix(seed: UInt64(layout.0 * 100 + layout.1))
        for width in Self.widths {
            let png = png(layout, width: width, height: 18, using: &random)
            let file = png.bytes(rows: rows(png, filters: 0...4, using: &random))
            expectNativeMatchesLibrary(file, "\(layout), \(width) pixels wide")
        }
    }

    /// Small differences keep the three neighbours of the Paeth filter close together, which causes ties.
    @Test(arguments: layouts)
    func nativeDecoderGivesThePixelsOfLibpngWhenAllRowsHaveTheSameFilter(_ layout: (Int, Int)) {
        var random = SplitMix(seed: UInt64(layout.0 * 100 + layout.1 + 50))
        for filter in UInt8(0)...4 {
            let png = png(layout, width: 129, height: 17, using: &random)
            let file = png.bytes(rows: rows(png, filters: filter...filter, bytes: 0...2, using: &random))
            expectNativeMatchesLibrary(file, "\(layout), filter \(filter)")
        }
    }

    /// tRNS of gray and RGB images: the samples have few different values, so that many pixels have the transparent
    /// color.
    @Test(arguments: layouts.filter { $0.0 == 0 || $0.0 == 2 })
    func nativeDecoderGivesThePixelsOfLibpngForATransparentColorInTRNS(_ layout: (Int, Int)) {
        var random = SplitMix(seed: UInt64(layout.0 * 100 + layout.1 + 70))
        for width in [1, 7, 33, 300] {
            var png = png(layout, width: width, height: 6, using: &random)
            png.chunks.append(("tRNS", Array(repeating: [0, 1], count: png.channels).flatMap(\.self)))
            let rows = rows(png, filters: 0...0, bytes: 0...1, using: &random)
            let outcome = expectNativeMatchesLibrary(png.bytes(rows: rows), "\(layout), \(width) pixels wide")
            if width == 300 {
                #expect(Set(stride(from: 3, to: outcome.pixels.count, by: 4).map { outcome.pixels[$0] }) == [0, 255])
            }
        }
    }

    @Test func undefinedFilterTypeIsReportedAsDamageByTheNativeAndTheLibpngDecoder() {
        var random = SplitMix(seed: 3)
        let png = png((0, 8), width: 80, height: 20, using: &random)
        var rows = rows(png, filters: 4...4, using: &random)
        rows[81 * 11] = 5
        let outcome = expectNativeMatchesLibrary(png.bytes(rows: rows), "filter 5")
        #expect(!outcome.isComplete)
    }
}
