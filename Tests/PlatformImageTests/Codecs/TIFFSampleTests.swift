import PlatformImage
import PlatformImageTestSupport
import Testing

/// BitsPerSample and ExtraSamples tags that writers often store incorrectly, subsampled YCbCr strips, and premultiplied
/// colours.
@Suite struct TIFFSampleTests {
    /// Frame headers that libjpeg does not support, and their names. SOF11 is the arithmetic-coded lossless process.
    static let processes: [(marker: UInt8, detail: String)] = [
        (0xC3, "lossless"), (0xCB, "lossless"), (0xC5, "hierarchical"), (0xC7, "hierarchical"), (0xF7, "jpegls"),
    ]

    /// A JPEG stream with a frame header and a scan, after a segment and fill bytes.
    private static func stream(_ marker: UInt8, bits: UInt8, tables: Bool) -> [UInt8] {
        let table: [UInt8] = [0xFF, 0xC4, 0, 20, 0, 1] + [UInt8](repeating: 0, count: 15) + [0]
        let comment: [UInt8] = [0xFF, 0xFE, 0, 4, 0xFF, 0xC0]  // contains the code of SOF0
        let frame: [UInt8] = [0xFF, 0xFF, marker, 0, 11, bits, 0, 8, 0, 8, 1, 1, 0x11, 0]
        return [0xFF, 0xD8] + comment + (tables ? table : []) + frame + [
            0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 0, 0, 0, 0xFF, 0xD9,
        ]
    }

    @Test(.requirement("E2"), arguments: processes, [8, 12, 16])
    func jpegProcessInATIFFThatIsNotSupportedHasTheDetailOfAJPEGFile(
        _ process: (marker: UInt8, detail: String), _ bits: Int
    ) {
        let data = Self.stream(process.marker, bits: UInt8(bits), tables: bits == 8)
        for strips in [[data], [[], data, data]] {
            var file = TIFFFile(
                width: 8, height: 8 * strips.count, bits: [bits], samples: 1, photometric: 1, compression: 7,
                strips: strips)
            file[278] = [8]
            let bytes = file.bytes

            let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes) }

            #expect(error?.code == .unsupported && error?.detail == process.detail, "\(strips.count) strips")
        }
    }

    /// JPEGProc 14 (TIFF 6.0, section 22) is the lossless process of old-style JPEG.
    @Test(.requirement("E2")) func oldStyleLosslessJPEGInATIFFIsUnsupported() {
        var file = TIFFFile(
            width: 8, height: 8, bits: [8], samples: 1, photometric: 1, compression: 6, strips: [[0, 0, 0, 0]])
        file[512] = [14]
        let bytes = file.bytes

        let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes) }

        #expect(error?.code == .unsupported && error?.detail == "lossless")
    }

    private func pixels(_ file: TIFFFile) throws -> [UInt8] {
        let image = try ImageDecoder(options: .asStored).decode(file.bytes)
        #expect(image.status == .complete)
        return image.bitmap.copyBytes()
    }

    @Test(.requirement("D4")) func surplusBitsPerSampleEntriesAreIgnored() throws {
        let samples: [UInt8] = (0..<16 * 16 * 3).map { (i: Int) -> UInt8 in UInt8(truncatingIfNeeded: i * 7) }
        let file = TIFFFile(
            width: 16, height: 16, bits: [8, 8, 8, 1], samples: 3, photometric: 2, compression: 1, strips: [samples])

        var expected: [UInt8] = []
        for at in stride(from: 0, to: samples.count, by: 3) { expected += Array(samples[at..<at + 3]) + [255] }

        #expect(try pixels(file) == expected)
    }

    @Test(.requirement("D4")) func samplesOfDifferentDepthsAreUnsupported() {
        let file = TIFFFile(
            width: 2, height: 1, bits: [8, 8, 4, 8], samples: 3, photometric: 2, compression: 1,
            strips: [[1, 2, 3, 4, 5, 6]])

        #expect { try ImageDecoder().decode(file.bytes) } throws: { ($0 as? DecodeError)?.detail == "mixedDepth" }
    }

    private func fourSamples(_ extra: [Int]) -> TIFFFile {
        var file = TIFFFile(
            width: 2, height: 1, bits: [8, 8, 8, 8], samples: 4, photometric: 2, compression: 1,
            strips: [[10, 20, 30, 0, 40, 50, 60, 128]])
        file[338] = extra
        return file
    }

    @Test(.requirement("D5")) func fourthSampleWithoutAnExtraSamplesTagIsUnassociatedAlpha() throws {
        let image = try ImageDecoder(options: .asStored).decode(fourSamples([]).bytes)

        #expect(image.header.hasAlpha)
        let pixels = image.bitmap.copyBytes()
        #expect(pixels[3] == 0)
        #expect(Array(pixels.suffix(4)) == [40, 50, 60, 128])
    }

    @Test(.requirement("D5")) func fourthSampleWithUnspecifiedMeaningGivesOpaquePixels() throws {
        #expect(try pixels(fourSamples([0])) == [10, 20, 30, 255, 40, 50, 60, 255])
    }

    /// The image has 73 x 43 pixels, one chroma row per two rows, and strips of 37 rows. The first strip has an
    /// odd number of rows, so its last chroma row belongs to one row.
    @Test(.requirement("D6"), arguments: [1, 5])
    func subsampledStripsWithAnOddNumberOfRowsAreDecoded(_ compression: Int) throws {
        let (width, height, rowsPerStrip) = (73, 43, 37)
        func luma(_ x: Int, _ y: Int) -> UInt8 { UInt8((x * 3 + y * 5) % 256) }
        var strips: [[UInt8]] = [[], []]
        for (index, rows) in [0..<rowsPerStrip, rowsPerStrip..<height].enumerated() {
            for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
                for x in 0..<width {
                    let below: UInt8 = y + 1 < rows.upperBound ? luma(x, y + 1) : 0
                    strips[index] += [luma(x, y), below, 128, 128] as [UInt8]
                }
            }
        }
        #expect(strips[0].count == 5548)
        var file = TIFFFile(
            width: width, height: height, bits: [8, 8, 8], samples: 3, photometric: 6, compression: compression,
            strips: compression == 5 ? strips.map { LZWWriter().encode($0) } : strips)
        file[278] = [rowsPerStrip]
        file[530] = [1, 2]

        var expected: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { expected += [luma(x, y), luma(x, y), luma(x, y), 255] as [UInt8] }
        }

        #expect(try pixels(file) == expected)
    }

    /// Each colour sample is multiplied by 255 and divided by alpha. The quotient is rounded to the nearest integer.
    @Test(.requirement("D11")) func colorsOfAFiveSampleImageWithAssociatedAlphaAreUnpremultipliedWithRounding() throws {
        var file = TIFFFile(
            width: 2, height: 1, bits: [8, 8, 8, 8, 8], samples: 5, photometric: 2, compression: 1,
            strips: [[100, 50, 25, 7, 128, 1, 2, 3, 9, 0]])
        file[338] = [0, 1]

        // (100 * 255 + 64) / 128 and so on.
        #expect(try pixels(file) == [199, 100, 50, 128, 0, 0, 0, 0])
    }
}
