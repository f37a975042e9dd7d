import PlatformImage
import Testing

/// Run-length encoded bitmaps.
@Suite struct BMPRunTests {
    private static let clear = RGBA8(red: 0, green: 0, blue: 0, alpha: 0)
    private static let end: [UInt8] = [0, 1]

    /// A run-length encoded bitmap. With 4 or 8 bits per pixel it has a palette of 16 colours; colour n is (n, n, n).
    private func file(_ width: Int, _ height: Int, bits: Int, _ codes: [UInt8]) -> BMPFile {
        var file = BMPFile(width: width, height: height, bits: bits, pixels: codes)
        file.compression = bits == 8 ? 1 : bits == 4 ? 2 : 4
        if bits == 24 {
            file.headerSize = 64
        } else {
            file.colorCount = 16
            for gray: UInt8 in 0..<16 { file.palette += [gray, gray, gray, 0] }
        }
        return file
    }

    private func decode(_ file: BMPFile) throws(DecodeError) -> DecodedImage {
        try ImageDecoder(options: .asStored).decode(file.bytes)
    }

    /// The red samples, row by row from the top; nil for transparent pixels.
    private func rows(_ file: BMPFile) throws -> [[Int?]] {
        let bitmap = try decode(file).bitmap
        return (0..<bitmap.height).map { y in
            (0..<bitmap.width).map { bitmap[$0, y] == Self.clear ? nil : Int(bitmap[$0, y].red) }
        }
    }

    private func code(_ file: BMPFile) -> DecodeError.Code? {
        do throws(DecodeError) {
            _ = try decode(file)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func rle8RunsAndLiteralsAreDecoded() throws {
        let file = file(5, 2, bits: 8, [2, 7, 0, 3, 1, 2, 3, 0xEE, 0, 0, 5, 9, 0, 0] + Self.end)

        #expect(try rows(file) == [[9, 9, 9, 9, 9], [7, 7, 1, 2, 3]])
        #expect(try decode(file).status == .complete)
    }

    @Test func rle4RunsAlternateBetweenTwoColors() throws {
        let file = file(8, 1, bits: 4, [5, 0x12, 0, 3, 0x34, 0x50] + Self.end)

        #expect(try rows(file) == [[1, 2, 1, 2, 1, 3, 4, 5]])
        #expect(try decode(file).status == .complete)
    }

    @Test func rle24RunsHaveThreeBytesPerColor() throws {
        let file = file(5, 1, bits: 24, [2, 1, 2, 3, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0xEE] + Self.end)

        #expect(try rows(file) == [[3, 3, 4, 5, 6]])
        #expect(try decode(file).bitmap[0, 0] == RGBA8(red: 3, green: 2, blue: 1))
        #expect(try decode(file).status == .complete)
    }

    @Test func topDownRLEStartsAtTheTopRow() throws {
        #expect(try rows(file(1, -2, bits: 8, [1, 7, 0, 0, 1, 9] + Self.end)) == [[7], [9]])
    }

    @Test func pixelsSkippedByDeltaOrEndCodesAreTransparent() throws {
        let delta = file(3, 3, bits: 8, [1, 7, 0, 2, 1, 1, 1, 8] + Self.end)
        let shortRow = file(3, 1, bits: 8, [1, 7, 0, 0] + Self.end)
        let nothing = file(2, 1, bits: 8, Self.end)

        #expect(try rows(delta) == [[nil, nil, nil], [nil, nil, 8], [7, nil, nil]])
        #expect(try rows(shortRow) == [[7, nil, nil]])
        #expect(try rows(nothing) == [[nil, nil]])
        #expect(try decode(delta).status == .complete && decode(delta).header.hasAlpha)
    }

    @Test func runPastTheEndOfTheRowIsClippedAndReportedAsDamage() throws {
        for codes: [UInt8] in [[5, 7], [0, 5, 7, 7, 7, 7, 7, 0]] {
            let file = file(3, 2, bits: 8, codes + [0, 0, 3, 9] + Self.end)

            #expect(try rows(file) == [[9, 9, 9], [7, 7, 7]])
            #expect(try decode(file).status != .complete)
        }
    }

    @Test func deltaOutsideTheImageEndsDecodingWithDamage() throws {
        for move: [UInt8] in [[0, 2, 4, 0], [0, 2, 0, 4], [0, 2, 255, 255]] {
            let later = file(3, 3, bits: 8, [3, 7, 0, 0] + move + [1, 9] + Self.end)
            let first = file(3, 3, bits: 8, move + [1, 9] + Self.end)

            #expect(try rows(later) == [[nil, nil, nil], [nil, nil, nil], [7, 7, 7]])
            #expect(try decode(later).status != .complete)
            #expect(code(first) == .malformed)
        }
    }

    @Test func pixelsAfterTheLastRowAreReportedAsDamage() throws {
        let file = file(1, 1, bits: 8, [1, 7, 0, 0, 1, 9] + Self.end)

        #expect(try rows(file) == [[7]])
        #expect(try decode(file).status != .complete)
    }

    @Test func missingEndCodeAfterTheLastPixelIsAWarningAndNotDamage() throws {
        let image = try decode(file(2, 1, bits: 8, [2, 7]))

        #expect(image.status == .complete)
        #expect(image.header.warnings.count == 1)
    }

    @Test func truncatingRLEDataAtAnyByteKeepsTheCompleteRows() throws {
        let codes: [UInt8] = [3, 7, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 1, 4, 2, 5, 0, 0]

        for cut in 0..<codes.count {
            let file = file(3, 3, bits: 8, Array(codes[..<cut]))
            // The codes of the last pixels of the three rows end after 2, 9 and 16 bytes.
            let complete = [2, 9, 16].filter { $0 <= cut }.count
            guard complete > 0 else {
                #expect(code(file) == .truncated)
                continue
            }
            let image = try decode(file)
            #expect(image.status == (complete == 3 ? .complete : .truncated(rows: complete)), "cut at \(cut)")
            #expect(image.bitmap[2, 2].red == 7)
        }
    }

    @Test func paletteIndexOutOfRangeIsBlackAndReportedAsDamage() throws {
        for codes: [UInt8] in [[3, 16], [0, 3, 16, 16, 16, 0]] {
            let file = file(3, 1, bits: 8, codes + Self.end)

            #expect(try decode(file).bitmap[1, 0] == RGBA8(red: 0, green: 0, blue: 0))
            #expect(try decode(file).status != .complete)
        }
    }

    @Test func rle8CompressionOverridesTheBitDepthOfTheHeader() throws {
        var file = file(2, 1, bits: 8, [2, 7] + Self.end)
        file.bits = 24

        #expect(try rows(file) == [[7, 7]])
        #expect(try decode(file).status != .complete)
    }

    @Test func decodingRLECodesThatWriteNoPixelsPollsTheCancellationFlag() throws {
        let idle = [UInt8]((0..<200_000).flatMap { _ in [0, 2, 0, 0] as [UInt8] })
        let flag = CancellationFlag()
        _ = try ImageDecoder().decode(file(1, 1, bits: 8, [1, 7] + idle).bytes, cancellation: flag)

        #expect(flag.pollCount > 40)
    }
}
