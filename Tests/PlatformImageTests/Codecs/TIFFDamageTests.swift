import PlatformImage
import PlatformImageTestSupport
import Testing

/// Every compression in one strip, four strips, one tile and four tiles, with wrong bytes or truncated at 60 % of the
/// compressed bytes. `Scripts/build/damaged-files` prints the measurements.
@Suite(.requirement("D1")) struct TIFFDamageTests {
    /// Every image has 64 rows; each of four strips has 16 rows, and each of four tiles has 32 rows.
    static let fixtures = Fixture.all.filter { $0.path.hasPrefix("tiff/damage-") }

    /// The least number of complete rows before the damage. 60 % of 64 rows are 38 rows; fewer are required, because
    /// the compressed rows differ in length. JPEG also loses the rows of the damaged block and those that chroma
    /// upsampling combines with it.
    private func rowsBefore(_ file: DamagedTIFF) -> Int {
        switch file.layout {
        case "tiles": 32
        case "strips": file.name == "jpeg" ? 31 : 36
        default: file.name == "jpeg" ? 31 : 36
        }
    }

    /// The least number of correct rows in the decoded image. If the file has several strips, the rows of the strips
    /// after the damaged strip count too.
    private func rowsAround(_ file: DamagedTIFF) -> Int {
        file.layout == "strips" ? max(rowsBefore(file), 48) : rowsBefore(file)
    }

    private func report(_ column: String, _ file: DamagedTIFF, _ rows: DecodedRows) {
        print("damaged: | \(file.name) | \(file.layout) | \(column) | \(rows.text) |")
    }

    @Test(arguments: fixtures)
    func tiffWithOneWrongByteKeepsTheRowsBeforeThatByte(_ fixture: Fixture) throws {
        let file = try DamagedTIFF(fixture)

        let rows = try DecodedRows(of: file.withWrongBytes(1), against: file.bytes)

        #expect(rows.right >= rowsAround(file))
        #expect(rows.shown >= rowsAround(file))
        report("one wrong byte", file, rows)
    }

    @Test(arguments: fixtures)
    func tiffWithTwoWrongBytesKeepsTheRowsBeforeTheFirstOfThem(_ fixture: Fixture) throws {
        let file = try DamagedTIFF(fixture)

        let rows = try DecodedRows(of: file.withWrongBytes(2), against: file.bytes)

        #expect(rows.right >= rowsAround(file))
    }

    @Test(arguments: fixtures)
    func truncatedFileKeepsTheRowsBeforeTheCut(_ fixture: Fixture) throws {
        let file = try DamagedTIFF(fixture)

        let rows = try DecodedRows(of: file.truncated, against: file.bytes)

        #expect(rows.right >= rowsBefore(file))
        guard case .truncated(let count) = rows.status else {
            Issue.record("the status of a truncated file is \(rows.status)")
            return
        }
        #expect(count <= rows.right)
        report("cut", file, rows)
    }

    /// libtiff reports each invalid CCITT row, so the decoder detects the wrong byte in every layout.
    @Test(arguments: fixtures.filter { $0.path.contains("-g3-") || $0.path.contains("-g4-") })
    func wrongByteInAFaxPageIsReportedAsCorruptAndKeepsAllRows(_ fixture: Fixture) throws {
        let file = try DamagedTIFF(fixture)

        let rows = try DecodedRows(of: file.withWrongBytes(1), against: file.bytes)

        #expect(rows.shown == 64)
        guard case .corrupt = rows.status else {
            Issue.record("the status of a damaged page is \(rows.status)")
            return
        }
    }

    /// The image has 300 x 200 RGB pixels in one LZW strip.
    @Test(arguments: [false, true])
    func truncatedLZWStripKeepsTheRowsBeforeTheCut(_ usesPredictor: Bool) throws {
        var random = SplitMix(seed: 9)
        var tiff = LZWTIFF(width: 300, height: 200, samples: 3)
        tiff.usesPredictor = usesPredictor
        var samples: [UInt8] = []
        for i in 0..<200 * 900 {
            let value = i / 900 + i % 7 + Int.random(in: 0..<4, using: &random)
            samples.append(UInt8(truncatingIfNeeded: value))
        }
        let damaged = tiff.bytes(rows: samples) { $0.removeLast($0.count * 4 / 10) }

        let rows = try DecodedRows(of: damaged, against: tiff.bytes(rows: samples))

        #expect(rows.right >= 118)
        #expect(rows.shown == rows.right)
    }

    /// Four rows of one pixel in a Deflate stream; only the checksum is wrong.
    @Test func wrongDeflateChecksumIsReportedAsDamageAndKeepsAllRows() throws {
        let stored: [UInt8] = [0x78, 0x01, 0x01, 4, 0, 0xFB, 0xFF, 10, 20, 30, 40]
        let file = TIFFFile(
            width: 1, height: 4, bits: [8], samples: 1, photometric: 1, compression: 8,
            strips: [stored + [1, 2, 3, 4]])

        let image = try ImageDecoder(options: .asStored).decode(file.bytes)

        #expect(stride(from: 0, to: 16, by: 4).map { image.bitmap.copyBytes()[$0] } == [10, 20, 30, 40])
        #expect(image.status != .complete)
    }
}
