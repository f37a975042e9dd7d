// Constants named as in the specifications: Microsoft, "Bitmap Header Types", "Bitmap Storage" and MS-WMF 2.1.1.7
// "Compression Enumeration"; IBM, "OS/2 Presentation Manager bitmap file formats".

/// Sizes in bytes of the headers that may follow the file header.
enum BMPHeaderSize {
    /// BITMAPCOREHEADER of OS/2 1.x and Windows 2.
    static let core = 12
    /// BITMAPINFOHEADER2 of OS/2 2.x, which may be truncated; the range includes three of the sizes below.
    static let os2 = 16...64
    /// BITMAPINFOHEADER of Windows 3.
    static let info = 40
    /// BITMAPV2INFOHEADER: adds masks of red, green and blue.
    static let v2 = 52
    /// BITMAPV3INFOHEADER: adds a mask of alpha.
    static let v3 = 56
    /// BITMAPV4HEADER: adds a colour space.
    static let v4 = 108
    /// BITMAPV5HEADER: adds a profile.
    static let v5 = 124
}

/// Compression methods. Two numbers have another meaning in OS/2 2.x.
enum BMPCompression {
    /// BI_RGB.
    static let rgb = 0
    /// BI_RLE8.
    static let rle8 = 1
    /// BI_RLE4.
    static let rle4 = 2
    /// BI_BITFIELDS.
    static let bitfields = 3
    /// BCA_HUFFMAN1D of OS/2 2.x.
    static let os2Huffman1D = 3
    /// BI_JPEG.
    static let jpeg = 4
    /// BCA_RLE24 of OS/2 2.x.
    static let os2RLE24 = 4
    /// BI_PNG.
    static let png = 5
    /// BI_ALPHABITFIELDS of Windows CE.
    static let alphaBitfields = 6
    /// BI_CMYK.
    static let cmyk = 11
    /// BI_CMYKRLE8.
    static let cmykRLE8 = 12
    /// BI_CMYKRLE4.
    static let cmykRLE4 = 13
}

/// The colour space of V4 and V5 headers (LogicalColorSpace): 0, or four ASCII characters, the first one in the most
/// significant byte.
enum BMPColorSpace {
    /// LCS_CALIBRATED_RGB.
    static let calibratedRGB = 0
    /// LCS_sRGB, `sRGB`.
    static let sRGB = 0x7352_4742
    /// LCS_WINDOWS_COLOR_SPACE, `Win `.
    static let windows = 0x5769_6E20
    /// PROFILE_EMBEDDED, `MBED`.
    static let profileEmbedded = 0x4D42_4544
}

/// The second byte of a run-length code whose first byte is 0. A value above 2 is the number of uncompressed pixels
/// that follow.
enum BMPEscape {
    static let endOfLine: UInt8 = 0
    static let endOfBitmap: UInt8 = 1
    static let delta: UInt8 = 2
}
