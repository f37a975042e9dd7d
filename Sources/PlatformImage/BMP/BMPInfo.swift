// The file header (14 bytes) and the DIB header (12 to 124 bytes) of a BMP file.
//
// References: Microsoft, "Bitmap Header Types" and "Bitmap Storage"; IBM, "OS/2 Presentation Manager bitmap file
// formats". Later headers extend earlier ones: a field exists when the header is long enough.

/// The stored header fields; fields missing in a short header are 0. All fit into 32 bits: their sums, and products
/// of them with numbers below 64, do not wrap around in `Int`.
struct BMPInfo {
    static let fileHeaderSize = 14

    /// Bytes of the DIB header: 12 for OS/2 1.x, 40 for Windows 3, 108 for V4, 124 for V5.
    let size: Int
    /// Byte offset of the pixels from the start of the file; many writers store a wrong value.
    let pixelOffset: Int
    let width: Int
    let height: Int
    /// True for a negative stored height: the first stored row is the top one.
    let isTopDown: Bool
    let bitCount: Int
    let compression: Int
    /// Bytes of pixel data; reliable only for an embedded JPEG or PNG.
    let imageSize: Int
    /// Palette entries; 0 means the maximum of the bit depth, or no palette for more than 8 bits per pixel.
    let colorCount: Int
    /// V4 and V5: the colour space, see ``BMPColorSpace``.
    let colorSpace: Int
    /// V4 and V5: true when endpoints or gammas (bytes 60 to 107) are not all 0.
    let hasCalibration: Bool
    /// V5: the byte offset of the profile from the start of the DIB header.
    let profileOffset: Int
    /// V5: the size of the profile in bytes.
    let profileSize: Int

    init(_ bytes: Span<UInt8>) throws(DecodeError) {
        guard bytes.count >= Self.fileHeaderSize &+ 4 else {
            throw DecodeError(.truncated, format: .bmp, "bmp: data ends at byte \(bytes.count), in the header")
        }
        guard bytes.byte(at: 0) == UInt8(ascii: "B"), bytes.byte(at: 1) == UInt8(ascii: "M") else {
            throw DecodeError(.malformed, format: .bmp, "bmp: the signature BM is missing")
        }
        func integer16(_ field: Int) -> Int { bytes.littleEndian16(at: Self.fileHeaderSize &+ field) ?? 0 }
        func integer32(_ field: Int) -> Int { bytes.littleEndian32(at: Self.fileHeaderSize &+ field) ?? 0 }

        let size = integer32(0)
        guard
            size == BMPHeaderSize.core || BMPHeaderSize.os2.contains(size) || size == BMPHeaderSize.v4
                || size == BMPHeaderSize.v5
        else {
            throw DecodeError(.malformed, format: .bmp, "bmp: invalid DIB header size of \(size) bytes")
        }
        guard bytes.count >= Self.fileHeaderSize &+ size else {
            throw DecodeError(.truncated, format: .bmp, "bmp: data ends at byte \(bytes.count), in the header")
        }
        self.size = size
        pixelOffset = bytes.littleEndian32(at: 10) ?? 0

        let isCore = size == BMPHeaderSize.core
        let storedHeight = isCore ? integer16(6) : Int(clamping: Int32(truncatingIfNeeded: integer32(8)))
        width = isCore ? integer16(4) : Int(clamping: Int32(truncatingIfNeeded: integer32(4)))
        height = abs(storedHeight)
        isTopDown = storedHeight < 0
        bitCount = integer16(isCore ? 10 : 14)
        // `Int32.min` has no positive counterpart in 32 bits and is rejected.
        guard width > 0, storedHeight != 0, storedHeight != Int(Int32.min) else {
            throw DecodeError(.malformed, format: .bmp, "bmp: invalid image size of \(width) x \(storedHeight) pixels")
        }

        func integer32(_ field: Int, since first: Int) -> Int { size >= first ? integer32(field) : 0 }
        compression = integer32(16, since: 20)
        imageSize = integer32(20, since: 24)
        colorCount = integer32(32, since: 36)
        colorSpace = integer32(56, since: BMPHeaderSize.v4)
        hasCalibration = size >= BMPHeaderSize.v4 && (15..<27).contains { integer32($0 &* 4) != 0 }
        profileOffset = integer32(112, since: BMPHeaderSize.v5)
        profileSize = integer32(116, since: BMPHeaderSize.v5)
    }

    /// True for an OS/2 2.x header: its first 40 bytes have the fields of BITMAPINFOHEADER, but compressions 3 and 4
    /// have another meaning, and there are no masks.
    var isOS2: Bool {
        BMPHeaderSize.os2.contains(size) && ![BMPHeaderSize.info, BMPHeaderSize.v2, BMPHeaderSize.v3].contains(size)
    }

    /// True when masks define the bits of red, green, blue and alpha; OS/2 has none.
    var hasMasks: Bool {
        (compression == BMPCompression.bitfields || compression == BMPCompression.alphaBitfields) && !isOS2
            && size > BMPHeaderSize.core
    }

    /// True when an alpha mask is stored: in headers from V3 (56 bytes) on, and in Windows CE files after a shorter
    /// header.
    var hasAlphaMask: Bool { hasMasks && (size >= BMPHeaderSize.v3 || compression == BMPCompression.alphaBitfields) }

    /// Byte offset of the palette. The palette follows the header or, if the header is too short to contain the masks,
    /// the masks after the header.
    var paletteOffset: Int {
        let masksEnd = hasMasks ? Self.masksOffset &+ (hasAlphaMask ? 16 : 12) : 0
        return max(Self.fileHeaderSize &+ size, masksEnd)
    }

    /// Byte offset of the R, G, B and A masks: inside a header of 52 or more bytes, after one of 40.
    static let masksOffset = fileHeaderSize &+ BMPHeaderSize.info

    var paletteEntrySize: Int { size == BMPHeaderSize.core ? 3 : 4 }

    /// Number of palette entries according to the header: at most the maximum of the bit depth, or 256 for more than 8
    /// bits per pixel.
    var paletteCount: Int {
        let maxCount = bitCount <= 8 ? 1 << bitCount : 256
        if colorCount > 0 { return min(colorCount, maxCount) }
        return bitCount <= 8 ? maxCount : 0
    }

    /// The byte offset of the pixels: the stored offset, unless it points into the headers or to the palette.
    ///
    /// - Parameter count: Bytes of the file.
    func pixelStart(in count: Int, damage: inout Damage) -> Int {
        if pixelOffset >= paletteOffset, !isPaletteOffset(in: count) { return pixelOffset }
        damage.warn(.dataOffset)
        return paletteOffset &+ paletteCount &* paletteEntrySize
    }

    /// True when the stored offset leaves no room for the required palette, but the file is large enough to contain
    /// headers, palette and pixels: some writers store `14 + size` although they write a palette.
    private func isPaletteOffset(in count: Int) -> Bool {
        guard bitCount <= 8, pixelOffset < paletteOffset &+ paletteEntrySize else { return false }
        let left = count &- paletteOffset &- paletteCount &* paletteEntrySize
        switch compression {
        case BMPCompression.rgb:
            // Width and height are below 2^31 and a pixel has at most 8 bits: the product cannot overflow.
            let stride = (width &* bitCount &+ 31) / 32 &* 4
            return left >= stride &* (height &- 1) &+ (width &* bitCount &+ 7) / 8
        // Run-length data has no fixed size; an end code alone has two bytes.
        case BMPCompression.rle8, BMPCompression.rle4: return left >= max(imageSize, 2)
        default: return false
        }
    }
}

extension Span<UInt8> {
    /// The 16-bit little-endian integer at a byte offset; nil when it is not inside the span.
    func littleEndian16(at offset: Int) -> Int? {
        ByteOrder.little.number(2, self, at: FileNumber(offset))?.exactly()
    }

    func littleEndian32(at offset: Int) -> Int? {
        ByteOrder.little.number(4, self, at: FileNumber(offset))?.exactly()
    }
}

extension BMPInfo {
    /// Sets the profile properties of the ``ImageHeader`` and returns the byte range of the embedded profile; nil when
    /// there is none or it is ignored with a warning. The profile is reported but not used for conversion.
    ///
    /// A linked profile (PROFILE_LINKED, `LINK`), which is the path of an external file, is ignored.
    func readProfile(
        into header: inout ImageHeader, count: Int, limits: DecodeLimits, damage: inout Damage
    ) -> Range<Int>? {
        guard size >= BMPHeaderSize.v4 else { return nil }
        switch colorSpace {
        case BMPColorSpace.calibratedRGB where hasCalibration: header.profileSource = .gamma
        case BMPColorSpace.sRGB, BMPColorSpace.windows: header.profileSource = .srgb
        case BMPColorSpace.profileEmbedded where size >= BMPHeaderSize.v5:
            var cursor = ByteCursor(0..<max(0, count))
            let maxBytes = min(limits.maxMetadataItem ?? .max, limits.maxMetadataTotal ?? .max)
            guard profileSize > 0, profileSize <= maxBytes,
                cursor.move(to: FileNumber(Self.fileHeaderSize &+ profileOffset)),
                let range = cursor.take(FileNumber(profileSize))
            else {
                damage.warn(.profileIgnored)
                return nil
            }
            header.profileSource = .icc
            header.iccProfileByteCount = profileSize
            return range
        default: break
        }
        return nil
    }
}
