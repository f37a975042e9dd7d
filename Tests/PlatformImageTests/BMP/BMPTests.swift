import PlatformImage
import PlatformImageTestSupport
import Testing

/// Rows, palettes, masks and headers; ``BMPRunTests`` tests run-length encoding.
@Suite struct BMPTests {
    private static let red = RGBA8(red: 255, green: 0, blue: 0)
    private static let green = RGBA8(red: 0, green: 255, blue: 0)
    private static let blue = RGBA8(red: 0, green: 0, blue: 255)
    private static let clear = RGBA8(red: 0, green: 0, blue: 0, alpha: 0)
    private static let black = RGBA8(red: 0, green: 0, blue: 0)
    /// A palette of red, green and blue: 4 bytes per colour in the order B, G, R, 0.
    private static let palette: [UInt8] = [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0]

    /// One red pixel above one green pixel, 24 bits each; the lower row is stored first.
    private static let twoRows: [UInt8] = [0, 255, 0, 0, 0, 0, 255, 0]

    private func decode(_ file: BMPFile, options: DecodeOptions = .asStored) throws(DecodeError) -> DecodedImage {
        try ImageDecoder(options: options).decode(file.bytes)
    }

    private func pixels(_ file: BMPFile) throws -> [RGBA8] {
        let bitmap = try decode(file).bitmap
        return (0..<bitmap.width * bitmap.height).map { bitmap[$0 % bitmap.width, $0 / bitmap.width] }
    }

    private func error(_ file: BMPFile, options: DecodeOptions = .asStored) -> DecodeError? {
        do throws(DecodeError) {
            _ = try decode(file, options: options)
            return nil
        } catch {
            return error
        }
    }

    // Rows

    @Test func rowsOfABMPWithPositiveHeightAreStoredBottomUp() throws {
        let file = BMPFile(height: 2, pixels: Self.twoRows)

        #expect(try pixels(file) == [Self.red, Self.green])
        #expect(try decode(file).status == .complete)
    }

    @Test func rowsOfABMPWithNegativeHeightAreStoredTopDown() throws {
        let file = BMPFile(height: -2, pixels: Self.twoRows)

        #expect(try pixels(file) == [Self.green, Self.red])
        #expect(try ImageDecoder().header(of: file.bytes).height == 2)
    }

    @Test func bottomUpImageEqualsTheFlippedTopDownImageForUnpaddedRows() throws {
        let stored = (0..<4 * 37 * 4).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let down = try decode(BMPFile(width: 4, height: -37, bits: 32, pixels: stored)).bitmap
        let up = try decode(BMPFile(width: 4, height: 37, bits: 32, pixels: stored)).bitmap

        for y in 0..<37 {
            for x in 0..<4 { #expect(down[x, y] == up[x, 36 - y]) }
            #expect(down[1, y].blue == stored[(y * 4 + 1) * 4] && down[1, y].alpha == 255)
        }
    }

    @Test(arguments: [(1, 9), (2, 5), (4, 3), (8, 3), (16, 3), (24, 3), (32, 3)])
    func truncatingAtAnyByteKeepsCompleteRowsAndClearsMissingRows(bits: Int, width: Int) throws {
        let stride = (width * bits + 31) / 32 * 4
        let needed = (width * bits + 7) / 8
        let file = BMPFile(
            width: width, height: 5, bits: bits, palette: bits <= 8 ? Array(repeating: 200, count: 4 << bits) : [],
            pixels: [UInt8](repeating: 0x11, count: stride * 5))
        let whole = try decode(file).bitmap

        for cut in 0..<stride * 5 {
            var short = file
            short.pixels.removeLast(stride * 5 - cut)
            let rows = min(5, cut / stride + (cut % stride >= needed ? 1 : 0))
            guard rows > 0 else {
                #expect(error(short)?.code == .truncated)
                continue
            }
            let image = try decode(short)
            #expect(image.status == (rows == 5 ? .complete : .truncated(rows: rows)))
            for y in 0..<5 {
                let isThere = y >= 5 - rows
                #expect(image.bitmap[width - 1, y] == (isThere ? whole[width - 1, y] : Self.clear))
            }
        }
    }

    // Palettes

    @Test(arguments: [(1, [0b0100_0000]), (2, [0b0001_1000]), (4, [0x01, 0x20]), (8, [0, 1, 2])] as [(Int, [UInt8])])
    func packedPaletteIndicesAreReadMostSignificantBitFirst(bits: Int, row: [UInt8]) throws {
        let padded = row + [UInt8](repeating: 0, count: 4 - row.count)
        let file = BMPFile(
            width: 3, bits: bits, colorCount: bits == 1 ? 2 : 3,
            palette: bits == 1 ? Array(Self.palette.prefix(8)) : Self.palette, pixels: padded)

        #expect(try pixels(file) == [Self.red, Self.green, bits == 1 ? Self.red : Self.blue])
        #expect(try decode(file).status == .complete)
        #expect(try decode(file).header.colorModel == .indexed)
    }

    @Test(arguments: [2, 4, 8])
    func paletteIndexOutOfRangeIsBlackAndReportedAsDamage(bits: Int) throws {
        let row: [Int: [UInt8]] = [2: [0b0011_0000], 4: [0x03, 0x00], 8: [0, 3, 0]]
        let stored = try #require(row[bits])
        let padded = stored + [UInt8](repeating: 0, count: 4 - stored.count)
        let file = BMPFile(
            width: 3, height: 2, bits: bits, colorCount: 3, palette: Self.palette,
            pixels: [UInt8](repeating: 0, count: 4) + padded)
        let image = try decode(file)

        #expect(try pixels(file) == [Self.red, Self.black, Self.red, Self.red, Self.red, Self.red])
        #expect("\(image.status)" == "corrupt([paletteIndex])" || "\(image.status)" == "corrupt([palette_index])")
    }

    @Test func surplusPaletteEntriesAreIgnored() throws {
        let file = BMPFile(
            bits: 1, colorCount: 3, palette: Self.palette, pixels: [0x80, 0, 0, 0])

        #expect(try pixels(file) == [Self.green])
        #expect(try decode(file).status == .complete)
    }

    @Test func paletteThatOverlapsThePixelsIsTruncatedAndReportedAsDamage() throws {
        let file = BMPFile(bits: 8, colorCount: 0x1234_5678, palette: Self.palette, pixels: [2, 0, 0, 0])

        #expect(try pixels(file) == [Self.blue])
        #expect(try decode(file).status != .complete)
    }

    @Test func os2PaletteIsReadAsThreeBytesPerColorUpToThePixelData() throws {
        let file = BMPFile(
            bits: 8, headerSize: 12, palette: [0, 0, 255, 0, 255, 0], pixels: [1, 0, 0, 0])

        #expect(try pixels(file) == [Self.green])
        #expect(try decode(file).status == .complete)
    }

    @Test(arguments: [16, 20, 24, 36, 40, 46, 48, 52, 56, 60, 64, 108, 124])
    func headersOfEveryKnownSizeFrom16To124BytesAreDecoded(size: Int) throws {
        let colors = [UInt8](repeating: 0, count: 252 * 4) + Self.palette + [0, 0, 0, 0]
        let file = BMPFile(bits: 8, headerSize: size, palette: colors, pixels: [253, 0, 0, 0])

        #expect(try pixels(file) == [Self.green])
        #expect(try decode(file).status == .complete)
    }

    /// Some writers store 14 + header size as pixel offset although a palette follows the header.
    @Test(
        .requirement("D8"),
        arguments: [(1, 40), (2, 40), (4, 40), (8, 40), (8, 12), (4, 12), (8, 64), (8, 108), (8, 124)], [2, -2])
    func pixelOffsetThatPointsToThePaletteIsCorrectedAndReported(
        _ kind: (bits: Int, headerSize: Int), _ height: Int
    ) throws {
        let entrySize = kind.headerSize == 12 ? 3 : 4
        // The core header (12 bytes) has an unsigned height, so a top-down image is not possible.
        let file = BMPFile(
            width: 9, height: kind.headerSize == 12 ? 2 : height, bits: kind.bits, headerSize: kind.headerSize,
            palette: (0..<entrySize << kind.bits).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) },
            pixels: (0..<2 * ((9 * kind.bits + 31) / 32 * 4)).map { UInt8(truncatingIfNeeded: $0 * 91) })
        var wrong = file
        wrong.pixelOffset = 14 + kind.headerSize

        let image = try decode(wrong)

        #expect(image.bitmap.copyBytes() == (try decode(file).bitmap.copyBytes()))
        #expect("\(image.status)" == "corrupt([dataOffset])")
    }

    @Test(.requirement("D8")) func pixelOffsetThatPointsToAPaletteWithFewerThan256ColorsIsCorrected() throws {
        let file = BMPFile(
            width: 3, bits: 8, colorCount: 3, palette: Self.palette, pixelOffset: 54, pixels: [0, 1, 2, 0])

        #expect(try pixels(file) == [Self.red, Self.green, Self.blue])
    }

    @Test(.requirement("D8"), arguments: [(8, 1), (4, 2)])
    func pixelOffsetThatPointsToThePaletteOfAnRLEImageIsCorrected(_ bits: Int, _ compression: Int) throws {
        let file = BMPFile(
            width: 3, bits: bits, compression: compression, colorCount: 3, palette: Self.palette, pixelOffset: 54,
            pixels: [3, bits == 8 ? 1 : 0x11, 0, 1])

        #expect(try pixels(file) == [Self.green, Self.green, Self.green])
    }

    @Test(.requirement("D8")) func pixelOffsetThatPointsToThePaletteIsUsedWhenTheRowsDoNotFitAfterThePalette() throws {
        let file = BMPFile(width: 3, bits: 8, pixelOffset: 54, pixels: [0, 1, 2, 0])

        #expect(try pixels(file) == [Self.black, Self.black, Self.black])
        #expect("\(try decode(file).status)" == "corrupt([paletteIndex])")
    }

    // Masks

    /// Expects round(v * 255 / max) for the values of fields of each width.
    @Test(arguments: 1...16)
    func maskedFieldsOfEveryWidthAreScaledToEightBitsWithRounding(width: Int) throws {
        let most = 1 << width - 1
        let values = width <= 8 ? Array(0...most) : Array(stride(from: 0, through: most, by: 37)) + [most]
        let shift = 16 - width / 2
        let file = BMPFile(
            width: values.count, bits: 32, compression: 3, masks: [most << shift, 0, 0],
            pixels: values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: (value << shift) >> ($0 * 8)) } })

        let expected = values.map { RGBA8(red: UInt8(($0 * 255 + most / 2) / most), green: 0, blue: 0) }
        #expect(try pixels(file) == expected)
        #expect(try decode(file).header.bitsPerChannel == width)
    }

    @Test func sixteenBitPixelsWithoutMasksAreRGB555() throws {
        let file = BMPFile(width: 2, bits: 16, pixels: [0x00, 0xFC, 0xE0, 0x03])

        #expect(try pixels(file) == [Self.red, Self.green])
    }

    @Test func fourthByteOf32BitRGBPixelsIsIgnored() throws {
        for size in [40, 56, 124] {
            let file = BMPFile(
                bits: 32, headerSize: size, masks: size > 40 ? [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000] : [],
                pixels: [0, 0, 255, 0])

            #expect(try pixels(file) == [Self.red])
            #expect(try !decode(file).header.hasAlpha)
        }
    }

    @Test(arguments: [(56, 3), (108, 3), (124, 3), (40, 6), (52, 6), (56, 6)])
    func alphaOfBitFieldsPixelsIsReadWhenTheHeaderHasAnAlphaMask(size: Int, compression: Int) throws {
        let swapped = [0xFF, 0xFF00, 0xFF0000, 0xFF00_0000]
        let usual = [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000]

        for masks in [usual, swapped] {
            let file = BMPFile(
                bits: 32, compression: compression, headerSize: size, masks: masks, pixels: [10, 20, 30, 40])
            let image = try decode(file)

            #expect(image.bitmap[0, 0].alpha == 40 && image.bitmap[0, 0].green == 20)
            #expect(image.bitmap[0, 0].red == (masks == usual ? 30 : 10))
            #expect(image.header.hasAlpha && image.status == .complete)
        }
    }

    @Test func headerWithoutAnAlphaMaskGivesOpaquePixels() throws {
        for size in [40, 52] {
            let file = BMPFile(
                bits: 32, compression: 3, headerSize: size, masks: [0xFF0000, 0xFF00, 0xFF], pixels: [0, 0, 255, 0])

            #expect(try pixels(file) == [Self.red])
        }
    }

    @Test(arguments: [[0xFF00, 0x1FF, 0], [0xF0F0, 0x0F00, 0x000F], [0xFF, 0, 0xFF]])
    func overlappingOrNonContiguousMasksAreMalformed(masks: [Int]) {
        for bits in [16, 32] {
            let file = BMPFile(bits: bits, compression: 3, masks: masks, pixels: [1, 2, 3, 4])

            #expect(error(file)?.code == .malformed)
        }
    }

    // Headers

    @Test func pixelOffsetInsideTheHeadersIsCorrectedAndReported() throws {
        for offset in [0, 14, 40, 53] {
            let file = BMPFile(
                bits: 8, colorCount: 3, palette: Self.palette, pixelOffset: offset, pixels: [1, 0, 0, 0])

            #expect(try pixels(file) == [Self.green])
            #expect(try decode(file).status != .complete)
            #expect(error(file, options: .strict)?.code == .malformed)
        }
    }

    @Test func unusedBytesBetweenHeadersAndPixelsAreSkipped() throws {
        let file = BMPFile(gap: 100, pixels: [0, 0, 255, 0])

        #expect(try pixels(file) == [Self.red])
        #expect(try decode(file).status == .complete)
    }

    @Test func pixelOffsetPastTheEndOfTheFileThrowsTruncated() {
        #expect(error(BMPFile(pixelOffset: 59, pixels: [0, 0, 255, 0]))?.code == .truncated)
        #expect(error(BMPFile(pixelOffset: 0xFFFF_FFFF, pixels: [0, 0, 255, 0]))?.code == .truncated)
    }

    @Test(arguments: [(0, 1), (-1, 1), (1, 0), (1, -0x8000_0000), (-0x8000_0000, 1)])
    func invalidWidthOrHeightThrowsMalformed(width: Int, height: Int) {
        var options = DecodeOptions.asStored
        options.limits = .unlimited

        #expect(error(BMPFile(width: width, height: height), options: options)?.code == .malformed)
    }

    @Test func hugeSizeThrowsLimitExceededEvenWithUnlimitedLimits() {
        var options = DecodeOptions.asStored
        options.limits = .unlimited
        let file = BMPFile(width: 0x7FFF_FFFF, height: -0x7FFF_FFFF, pixels: [0])

        #expect(error(file, options: options)?.code == .limitExceeded)
        #expect(error(file)?.detail == "maxSide")
    }

    @Test(arguments: [(64, 0, 40, "64bpp"), (1, 3, 64, "huffman1d"), (1, 3, 40, "huffman1d"), (32, 11, 40, "cmyk")])
    func unsupportedCompressionThrowsUnsupportedWithItsName(bits: Int, compression: Int, size: Int, token: String) {
        let file = BMPFile(
            bits: bits, compression: compression, headerSize: size, pixels: [UInt8](repeating: 0, count: 64))

        #expect(error(file)?.code == .unsupported)
        #expect(error(file)?.detail == token)
    }

    @Test(arguments: [(0, 0), (3, 0), (48, 0), (30_000, 0), (8, 3), (24, 9), (8, 6)])
    func undefinedBitDepthsAndCompressionsAreMalformed(bits: Int, compression: Int) {
        let file = BMPFile(bits: bits, compression: compression, pixels: [UInt8](repeating: 0, count: 64))

        #expect(error(file)?.code == .malformed)
    }

    @Test func truncatedBMPHeadersAndNonBMPBytesThrowWhenDeclaredAsBMP() throws {
        let decoder = ImageDecoder()
        let file = BMPFile(pixels: [0, 0, 255, 0]).bytes

        for cut in 0..<file.count {
            #expect(throws: DecodeError.self) { _ = try decoder.header(of: Array(file[..<min(cut, 53)]), as: .bmp) }
        }
        #expect(throws: DecodeError.self) { _ = try decoder.decode(Array("BA, an array of bitmaps".utf8), as: .bmp) }
    }

    // Profiles

    @Test func embeddedProfileIsReportedAndNotApplied() throws {
        let file = BMPFile(headerSize: 124, colorSpace: 0x4D42_4544, profile: [1, 2, 3, 4, 5], pixels: [0, 0, 255, 0])
        let image = try decode(file, options: DecodeOptions())

        #expect(image.header.profileSource == .icc)
        #expect(image.header.iccProfileByteCount == 5)
        #expect(image.bitmap[0, 0] == Self.red)
        let profile = try ImageDecoder().iccProfile(of: file.bytes)
        #expect(profile == [1, 2, 3, 4, 5])
    }

    @Test func profileLinkedByFileNameIsIgnored() throws {
        let path = Array("/etc/passwd".utf8) + [0]
        let file = BMPFile(headerSize: 124, colorSpace: 0x4C49_4E4B, profile: path, pixels: [0, 0, 255, 0])

        #expect(try decode(file).header.profileSource == .none)
        let profile = try ImageDecoder().iccProfile(of: file.bytes)
        #expect(profile == nil)
    }

    @Test func profileOutsideTheFileIsIgnoredWithAWarning() throws {
        let file = BMPFile(headerSize: 124, colorSpace: 0x4D42_4544, profile: [1, 2, 3], pixels: [0, 0, 255, 0])
        let image = try ImageDecoder(options: .asStored).decode(Array(file.bytes.dropLast()))

        #expect(image.status == .complete)
        #expect(image.header.warnings.count == 1 && image.header.iccProfileByteCount == 0)
    }

    // Embedded files

    /// A PNG of 1 x 1, gray 0x80, with a stored block (RFC 1951).
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
        0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55,
        0, 0, 0, 13, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 1, 2, 0, 0xFD, 0xFF, 0, 0x80, 0, 0x82, 0, 0x81,
        0xC3, 0x6E, 0x25, 0xE0,
        0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    @Test func embeddedPNGIsDecoded() throws {
        let file = BMPFile(bits: 0, compression: 5, pixels: Self.png)
        let image = try decode(file)

        #expect(image.bitmap[0, 0] == RGBA8(red: 0x80, green: 0x80, blue: 0x80))
        #expect(image.header.format == .bmp && image.status == .complete)
    }

    @Test func sizeOfAnEmbeddedPNGOverridesTheSizeInTheBMPHeader() throws {
        let image = try decode(BMPFile(width: 500, height: 400, bits: 0, compression: 5, pixels: Self.png))

        #expect(image.bitmap.width == 1 && image.header.width == 1)
        #expect(image.status != .complete)
    }

    @Test func embeddedPNGThrowsUnsupportedWhenPNGIsNotAllowed() {
        var options = DecodeOptions.asStored
        options.allowedFormats = [.bmp]

        let failure = error(BMPFile(bits: 0, compression: 5, pixels: Self.png), options: options)
        #expect(failure?.code == .unsupported && failure?.detail == "png")
    }

    @Test func embeddedDataOfAnotherFormatThanDeclaredThrows() {
        let inner = BMPFile(pixels: [0, 0, 255, 0]).bytes

        #expect(error(BMPFile(bits: 0, compression: 5, pixels: inner))?.code == .malformed)
        #expect(error(BMPFile(bits: 0, compression: 4, pixels: Self.png))?.code == .malformed)
        #expect(error(BMPFile(bits: 0, compression: 5))?.code == .truncated)
    }

    // Cancellation

    @Test func cancellationFlagIsPolledAtLeastEverySixteenRows() throws {
        let file = BMPFile(width: 1, height: 64, pixels: [UInt8](repeating: 0, count: 256)).bytes
        for top in [64, -64] {
            let flag = CancellationFlag()
            _ = try ImageDecoder().decode(file, cancellation: flag)
            #expect(flag.pollCount >= 4, "height \(top)")
        }
    }
}
