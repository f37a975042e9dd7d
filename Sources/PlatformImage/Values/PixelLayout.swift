/// The order and meaning of the bytes of a pixel in memory of other programs, with 8 bits per channel.
///
/// A ``Bitmap`` always contains ``rgba``. The calls that take a layout convert from it or to it:
/// ``Bitmap/init(width:height:bytes:layout:stride:limits:)-(_,_,[UInt8],_,_,_)``,
/// ``Bitmap/copyPixels(to:layout:stride:)``, ``Bitmap/bytes(layout:stride:limits:)`` and
/// ``ImageDecoder/decode(_:into:layout:stride:as:cancellation:)``.
///
/// Conversion to a layout without alpha ignores alpha: the colour of a transparent pixel becomes visible. Composite the
/// bitmap over a background before, where that is not wanted. Conversion from such a layout sets alpha to 255.
@nonexhaustive
public enum PixelLayout: String, CaseIterable, Hashable, Sendable {
    /// Red, green, blue, straight alpha: 4 bytes.
    case rgba
    /// Red, green, blue, alpha; colours multiplied by alpha: 4 bytes.
    ///
    /// A sample `c` with alpha `a` is stored as `(t + (t >> 8)) >> 8`, where `t = c * a + 128`: `c * a / 255` rounded
    /// to the nearest. It is read as `min(255, (c * 255 + a / 2) / a)` with integer division: rounded to the nearest,
    /// and a sample above alpha, which no multiplication produces, becomes 255. Where alpha is 0 the colour becomes 0.
    case rgbaPremultiplied
    /// Blue, green, red, straight alpha: 4 bytes.
    case bgra
    /// Blue, green, red, alpha; colours multiplied by alpha as in ``rgbaPremultiplied``: 4 bytes. Cairo's `ARGB32` and
    /// the native surfaces of most window systems on little-endian processors.
    case bgraPremultiplied
    /// Red, green, blue: 3 bytes.
    case rgb
    /// Blue, green, red: 3 bytes.
    case bgr
    /// Luma of ITU-R BT.601: 1 byte.
    ///
    /// Stored as `(19595 * red + 38470 * green + 7471 * blue + 32768) >> 16`, the weights 0.299, 0.587 and 0.114 in
    /// 16 bits, applied to sRGB values. Pillow's mode `L` is equal. It is read as three equal samples.
    case gray
    /// Luma as in ``gray``, then straight alpha: 2 bytes.
    case grayAlpha

    /// Bytes of one pixel, 1 to 4.
    public var bytesPerPixel: Int {
        switch self {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb, .bgr: 3
        case .rgba, .rgbaPremultiplied, .bgra, .bgraPremultiplied: 4
        }
    }

    /// True when pixels have an alpha channel.
    public var hasAlpha: Bool {
        switch self {
        case .rgb, .bgr, .gray: false
        case .rgba, .rgbaPremultiplied, .bgra, .bgraPremultiplied, .grayAlpha: true
        }
    }
}

extension PixelLayout {
    /// Returns the bytes from row to row of a buffer with this layout, after checking that the buffer is large enough.
    ///
    /// - Parameters:
    ///   - stride: Bytes from row to row; nil for rows without padding.
    ///   - byteCount: Size of the buffer in bytes, or nil when it is not known yet.
    ///   - name: The name of the buffer's argument in errors.
    /// - Throws: `invalidArgument` when a side is below 1, when `stride` is smaller than a row, and when the buffer
    ///   cannot contain all rows; the padding of the last row is not required.
    func checkedStride(
        _ stride: Int?, width: Int, height: Int, byteCount: Int?, _ name: String
    ) throws(DecodeError) -> Int {
        try DecodeError.check(width, "width", isIn: 1 ... .max)
        try DecodeError.check(height, "height", isIn: 1 ... .max)
        try DecodeError.check(width, "width", isIn: 1...Int.max / bytesPerPixel)
        let rowBytes = width * bytesPerPixel
        let stride = stride ?? rowBytes
        try DecodeError.check(stride, "stride", isIn: rowBytes ... .max)
        let (above, overflows) = stride.multipliedReportingOverflow(by: height - 1)
        let (total, totalOverflows) = above.addingReportingOverflow(rowBytes)
        guard !overflows, !totalOverflows else {
            throw .invalidArgument(
                "stride", "\(stride)", allowed: "a size in bytes of \(height) rows that is at most \(Int.max)")
        }
        if let byteCount, byteCount < total {
            throw .invalidArgument(
                name, "\(byteCount) bytes",
                allowed: "\(total) or more for \(width) x \(height) pixels of \(bytesPerPixel) bytes, stride \(stride)")
        }
        return stride
    }
}
