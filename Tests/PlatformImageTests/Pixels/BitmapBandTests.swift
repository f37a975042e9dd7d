import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite(.requirement("X13")) struct BitmapBandTests {
    /// A band contains at most 256 KiB of rows, or one longer row. The bitmaps have less than one band, exactly one
    /// band, several bands with and without a remainder, and rows of 256 KiB and more.
    @Test(arguments: [(1, 1), (3, 5), (256, 256), (256, 257), (1_000, 200), (65_536, 3), (70_000, 2)])
    func concatenatedBandsEqualTheConvertedBitmap(_ width: Int, _ height: Int) {
        let bitmap = Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count { pixels[at] = UInt8(truncatingIfNeeded: at &* 131 &+ at / 7) }
        }
        func joined(_ change: Bitmap.BandChange) -> [UInt8] {
            var bytes: [UInt8] = []
            bitmap.forEachBand(change) { band in for at in 0..<band.count { bytes.append(band[at]) } }
            return bytes
        }

        #expect(joined(.premultiplied) == bitmap.premultiplied().copyBytes())
        #expect(joined(.clearingTransparentPixels) == bitmap.clearingTransparentPixels().copyBytes())
    }

    @Test func errorThrownByTheClosureEndsTheIterationOfBands() {
        struct Stop: Error {}
        let bitmap = Bitmap(width: 256, height: 1_024) { _ in }
        var count = 0

        #expect(throws: Stop.self) {
            try bitmap.forEachBand(.premultiplied) { _ throws(Stop) in
                count += 1
                if count == 2 { throw Stop() }
            }
        }
        #expect(count == 2)
    }
}
