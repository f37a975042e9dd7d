import PlatformImage
import PlatformImageTestSupport
import Testing

/// CCITT data that ends before the last row, and Group 3 without end-of-line codes.
///
/// Every row has 16 pixels: 4 white, 4 black, 8 white. The codes are those of ITU-T T.4, tables 2 and 3.
@Suite struct TIFFFaxTests {
    private static let rowCodes = "1011 011 10011"
    private static let endOfLine = "000000000001"
    private static let white = [UInt8](repeating: 255, count: 64)
    private static let black: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
    private static let row: [UInt8] = Array(white.prefix(16)) + black + Array(white.prefix(32))

    private static func rows(_ count: Int, white missing: Int = 0) -> [UInt8] {
        var all: [UInt8] = []
        for _ in 0..<count { all += row }
        for _ in 0..<missing { all += white }
        return all
    }

    private func page(_ compression: Int, _ strips: [[UInt8]], photometric: Int = 0, rows: Int = 6) -> TIFFFile {
        TIFFFile(
            width: 16, height: rows, bits: [1], samples: 1, photometric: photometric, compression: compression,
            strips: strips)
    }

    /// Four of six rows, with or without an end code, for compressions 2, 3 and 4.
    struct ShortPage: Sendable {
        let compression: Int
        let digits: String
        var data: [UInt8] { [UInt8](digits: digits) }
    }

    private static let group3 = String(repeating: endOfLine + rowCodes, count: 4)
    // T.6: horizontal mode in the first row, then V0 three times per row.
    private static let group4 = "001 1011 011 1 111 111 111"

    static let shortPages: [ShortPage] = [
        ShortPage(compression: 2, digits: String(repeating: rowCodes + "0000", count: 4)),
        ShortPage(compression: 3, digits: group3 + String(repeating: endOfLine, count: 6)),
        ShortPage(compression: 3, digits: group3),
        ShortPage(compression: 4, digits: group4 + endOfLine + endOfLine),
        ShortPage(compression: 4, digits: group4),
    ]

    @Test(.requirement("D3"), arguments: shortPages)
    func truncatedFaxDataKeepsCompleteRowsAndFillsMissingRowsWithWhite(_ short: ShortPage) throws {
        let image = try ImageDecoder(options: .asStored).decode(page(short.compression, [short.data]).bytes)

        #expect(image.status == .truncated(rows: 4))
        #expect(image.bitmap.copyBytes() == Self.rows(4, white: 2))
    }

    /// The codes of four rows, and of the first 4 white and 4 black pixels of the fifth.
    static let pagesWithPartOfARow: [ShortPage] = [
        ShortPage(compression: 2, digits: String(repeating: rowCodes + "0000", count: 4) + "1011 011"),
        ShortPage(compression: 3, digits: group3 + endOfLine + "1011 011"),
        ShortPage(compression: 3, digits: String(repeating: rowCodes, count: 4) + "1011 011"),
        ShortPage(compression: 4, digits: group4 + "001 1011 011"),
        ShortPage(compression: 4, digits: group4 + "11"),
    ]

    @Test(.requirement("E1"), arguments: pagesWithPartOfARow, [0, 1])
    func faxDataThatEndsInsideARowKeepsTheDecodedPartOfTheRow(_ short: ShortPage, _ photometric: Int) throws {
        let image = try ImageDecoder(options: .asStored).decode(
            page(short.compression, [short.data], photometric: photometric).bytes)

        let (white, black) = photometric == 0 ? (UInt8(255), UInt8(0)) : (0, 255)
        let row = image.bitmap.copyBytes()[(4 * 64)..<(5 * 64)]
        let gray = stride(from: row.startIndex, to: row.endIndex, by: 4).map { row[$0] }
        #expect(image.status == .truncated(rows: 4))
        #expect(
            gray == [UInt8](repeating: white, count: 4) + [UInt8](repeating: black, count: 4)
                + [UInt8](repeating: white, count: 8))
        #expect(Array(image.bitmap.copyBytes().suffix(64)) == Self.white)
    }

    /// A row is kept as far as it was decoded: a prefix of its pixels, then white. The first two bytes contain less
    /// than a row.
    @Test(.requirement("E1"), arguments: [2, 3, 4])
    func faxDataTruncatedAtAnyByteHasCompleteRowsThenAPrefixOfARow(_ compression: Int) throws {
        let row = compression == 3 ? Self.endOfLine + Self.rowCodes : Self.rowCodes + "0000"
        let digits =
            compression == 4
            ? "001 1011 011 1" + String(repeating: "111", count: 5) : String(repeating: row, count: 6)
        let data = [UInt8](digits: digits)
        let decoder = ImageDecoder(options: .asStored)
        for count in 3..<data.count {
            guard let image = try? decoder.decode(page(compression, [Array(data.prefix(count))]).bytes) else {
                continue
            }
            guard case .truncated(let rows) = image.status else { continue }
            let pixels = image.bitmap.copyBytes()
            let part = pixels[(rows * 64)..<((rows + 1) * 64)]
            let common = zip(part, Self.row).prefix { $0 == $1 }.count

            #expect(pixels.prefix(rows * 64) == Self.rows(rows)[...], "cut at \(count)")
            #expect(part.dropFirst(common).allSatisfy { $0 == 255 }, "cut at \(count)")
        }
    }

    /// Missing rows are also white if PhotometricInterpretation is BlackIsZero.
    @Test(.requirement("D3")) func missingRowsOfABlackIsZeroPageAreWhite() throws {
        let data = Self.shortPages[3].data

        let image = try ImageDecoder(options: .asStored).decode(page(4, [data], photometric: 1).bytes)

        #expect(image.status == .truncated(rows: 4))
        #expect(Array(image.bitmap.copyBytes().suffix(128)) == Self.rows(0, white: 2))
    }

    /// The first of two strips has an end code before its last row; the second strip is decoded completely.
    @Test(.requirement("D3")) func stripThatEndsEarlyDoesNotAffectTheNextStrip() throws {
        let whole = [UInt8](digits: "001 1011 011 1" + String(repeating: "111", count: 5))
        var file = page(4, [Self.shortPages[3].data, whole], rows: 12)
        file[278] = [6]

        let image = try ImageDecoder(options: .asStored).decode(file.bytes)

        #expect(image.status == .truncated(rows: 4))
        let pixels = image.bitmap.copyBytes()
        #expect(Array(pixels.prefix(6 * 64)) == Self.rows(4, white: 2))
        #expect(Array(pixels.suffix(6 * 64)) == Self.rows(6))
    }

    @Test(.requirement("D3")) func faxDataWithoutAnyRowThrows() {
        let empty = [UInt8](digits: Self.endOfLine + Self.endOfLine)

        #expect(throws: DecodeError.self) { try ImageDecoder().decode(page(4, [empty]).bytes) }
    }

    @Test(.requirement("D7"), arguments: [nil, 6, 2])
    func group3WithoutEndOfLineCodesIsDecoded(_ rowsPerStrip: Int?) throws {
        let rows = rowsPerStrip ?? 6
        let strip = [UInt8](digits: String(repeating: Self.rowCodes, count: rows))
        var file = page(3, Array(repeating: strip, count: 6 / rows))
        file[278] = rowsPerStrip.map { [$0] } ?? []

        let image = try ImageDecoder(options: .asStored).decode(file.bytes)

        #expect(image.status == .complete)
        #expect(image.bitmap.copyBytes() == Self.rows(6))
    }

    @Test(.requirement("D7")) func truncatedGroup3WithoutEndOfLineCodesKeepsItsCompleteRows() throws {
        let data = [UInt8](digits: String(repeating: Self.rowCodes, count: 4))

        let image = try ImageDecoder(options: .asStored).decode(page(3, [data]).bytes)

        #expect(image.status == .truncated(rows: 4))
        #expect(image.bitmap.copyBytes() == Self.rows(4, white: 2))
    }

    /// The decoder decodes an invalid Group 3 strip a second time, as data without end-of-line codes. If this fails
    /// too, the next strip is decoded as data with end-of-line codes.
    @Test(.requirement("D7")) func invalidGroup3StripDoesNotAffectTheNextStrip() throws {
        let whole = [UInt8](digits: String(repeating: Self.endOfLine + Self.rowCodes, count: 6))
        var file = page(3, [[0, 0, 0, 0, 0, 0, 0, 1], whole], rows: 12)
        file[278] = [6]

        let image = try ImageDecoder(options: .asStored).decode(file.bytes)

        #expect(Array(image.bitmap.copyBytes().suffix(6 * 64)) == Self.rows(6))
        #expect(image.status != .complete)
    }
}
