/// A 24-bit bitmap of 2 x 2 pixels: red and green above blue and white.
let smallBitmap: [UInt8] =
    [
        0x42, 0x4D, 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0,
        16, 0, 0, 0, 0x13, 0x0B, 0, 0, 0x13, 0x0B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ] + [255, 0, 0, 255, 255, 255, 0, 0] + [0, 0, 255, 0, 255, 0, 0, 0]

/// RGBA rows of ``smallBitmap``.
let smallBitmapPixels: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255]

/// SHA-256 of ``smallBitmapPixels``, computed by Python's hashlib.
let smallBitmapDigest = "c21b35e3f28e676cedf24c13575a7346682e101a2d26aad9598d0cdbcee9ee3b"

/// ``smallBitmap`` without the last 8 bytes of the file, which are the top row.
let cutBitmap = [UInt8](smallBitmap.dropLast(8))

/// A bitmap header that claims 20,000 x 20,000 pixels.
let hugeBitmap: [UInt8] = {
    var bytes = smallBitmap
    bytes.replaceSubrange(18..<26, with: [0x20, 0x4E, 0, 0, 0x20, 0x4E, 0, 0])
    return bytes
}()

/// A bitmap of 512 x 512 pixels, 1 MB decoded, which exceeds the capacity of a pipe.
let largeBitmap: [UInt8] = {
    var bytes = [UInt8](smallBitmap.prefix(54))
    bytes.replaceSubrange(18..<26, with: [0, 2, 0, 0, 0, 2, 0, 0])
    return bytes + (0..<512 * 512 * 3).map { UInt8(truncatingIfNeeded: $0 / 7) }
}()

/// The first bytes of an AVIF file, which is recognized but not supported.
let avif: [UInt8] = [0, 0, 0, 24] + Array("ftypavif\0\0\0\0avifmif1".utf8) + [UInt8](repeating: 0, count: 28)
