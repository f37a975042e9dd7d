import PlatformImage
import PlatformImageTestSupport
import Testing

/// Compares the native LZW decoder of TIFF with libtiff and with the encoded samples.
@Suite struct TIFFLZWTests {
    /// Random bytes. On average, `repeats` of 10 bytes repeat the previous byte, so LZW strings of many lengths occur.
    private func rows(_ tiff: LZWTIFF, repeats: Int, using random: inout SplitMix) -> [UInt8] {
        var rows: [UInt8] = [0]
        while rows.count < tiff.height * tiff.bytesPerRow {
            let again = Int.random(in: 0..<10, using: &random) < repeats
            rows.append(again ? rows[rows.count - 1] : UInt8.random(in: 0...255, using: &random))
        }
        return Array(rows.prefix(tiff.height * tiff.bytesPerRow))
    }

    @Test(arguments: 1...4, [false, true])
    func eightBitSamplesRoundTripAndDecodeLikeLibtiffAtWidths1To40(_ samples: Int, _ usesPredictor: Bool) {
        var random = SplitMix(seed: UInt64(samples))
        for width in 1...40 {
            var tiff = LZWTIFF(width: width, height: 5, samples: samples, rowsPerStrip: 2)
            tiff.usesPredictor = usesPredictor
            let rows = rows(tiff, repeats: width % 10, using: &random)
            let outcome = expectNativeMatchesLibrary(tiff.bytes(rows: rows), "\(samples) samples, \(width) wide")
            #expect(outcome.isComplete)
            let expected = (0..<width * 5).flatMap { pixel -> [UInt8] in
                let sample = rows[pixel * samples..<(pixel + 1) * samples]
                let (first, last) = (sample.first ?? 0, sample.last ?? 0)
                return (samples < 3 ? [first, first, first] : Array(sample.prefix(3)))
                    + [samples.isMultiple(of: 2) ? last : 255]
            }
            #expect(outcome.pixels == expected, "\(samples) samples, \(width) wide")
        }
    }

    @Test(arguments: [1, 3, 4], [false, true])
    func sixteenBitSamplesDecodeLikeLibtiff(_ samples: Int, _ usesPredictor: Bool) {
        var random = SplitMix(seed: UInt64(samples + 10))
        for width in [1, 2, 7, 33] {
            var tiff = LZWTIFF(width: width, height: 4, samples: samples, bits: 16)
            tiff.usesPredictor = usesPredictor
            let outcome = expectNativeMatchesLibrary(
                tiff.bytes(rows: rows(tiff, repeats: 3, using: &random)), "\(samples) words, \(width) wide")
            #expect(outcome.isComplete)
        }
    }

    /// With `repeats` 0 the image is noise, which fills the LZW table several times. With `repeats` 10 all bytes are
    /// equal, which gives LZW strings of up to about 200 bytes.
    @Test(arguments: [0, 3, 7, 9, 10])
    func fullLZWTablesAndLongStringsDecodeLikeLibtiff(_ repeats: Int) {
        var random = SplitMix(seed: UInt64(repeats + 20))
        let tiff = LZWTIFF(width: 150, height: 150, samples: 1)
        let rows = rows(tiff, repeats: repeats, using: &random)
        let outcome = expectNativeMatchesLibrary(tiff.bytes(rows: rows), "\(repeats) repeats")
        #expect(outcome.isComplete)
        #expect(stride(from: 0, to: outcome.pixels.count, by: 4).map { outcome.pixels[$0] } == rows)
    }

    /// The strips have early and late clear codes, no clear code at the start, or no end code. libtiff is the
    /// reference.
    @Test(arguments: [259, 300, 511, 512, 513, 1024, 4094, 4096, 5000])
    func unusualClearAndEndCodesDecodeLikeLibtiff(_ fullTable: Int) {
        var random = SplitMix(seed: UInt64(fullTable))
        for (writesFirstClear, writesEnd) in [(true, true), (true, false), (false, true)] {
            var tiff = LZWTIFF(width: 97, height: 90, samples: 1, rowsPerStrip: 45)
            tiff.writer = LZWWriter(
                fullTable: fullTable, writesFirstClear: writesFirstClear, writesEnd: writesEnd)
            let rows = rows(tiff, repeats: 2, using: &random)
            expectNativeMatchesLibrary(tiff.bytes(rows: rows), "\(fullTable), \(writesFirstClear), \(writesEnd)")
        }
    }

    /// Rows, status and warnings equal those of libtiff at every position of the damage.
    @Test func truncatedStripsAndStripsWithAFlippedBitDecodeLikeLibtiff() {
        var random = SplitMix(seed: 77)
        let tiff = LZWTIFF(width: 40, height: 12, samples: 1, rowsPerStrip: 6)
        let rows = rows(tiff, repeats: 4, using: &random)
        let length = LZWWriter().encode(Array(rows.prefix(240))).count
        for at in 0..<length {
            let flip = UInt8(1 << Int.random(in: 0..<8, using: &random))
            let flipped = tiff.bytes(rows: rows) { $0[min(at, $0.count - 1)] ^= flip }
            let cut = tiff.bytes(rows: rows) { $0.removeLast(min(at, $0.count - 1)) }
            expectNativeMatchesLibrary(flipped, "flipped at \(at)")
            expectNativeMatchesLibrary(cut, "cut by \(at)")
        }
    }
}
