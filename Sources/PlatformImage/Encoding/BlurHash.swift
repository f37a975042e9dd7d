/// A blurred placeholder of an image in 6 to 166 characters, displayed until the image is loaded.
///
/// The BlurHash format (https://github.com/woltapp/blurhash): the first coefficients of a discrete cosine transform
/// (DCT) in linear light, in base 83.
public struct BlurHash: Hashable, Sendable, CustomStringConvertible {
    /// The characters of the hash, such as `LEHV6nWB2yk8pyo0adR*.7kCMdnj`.
    public let description: String
    /// Horizontal DCT terms, 1...9.
    public let columns: Int
    /// Vertical DCT terms, 1...9.
    public let rows: Int

    /// The quantised terms in linear light, in row-major order; the first is the mean colour.
    private let terms: [SIMD3<Double>]

    /// Computes the hash of an image with 4 x 3 terms.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - background: Colour composited under transparent pixels, as in ``JPEGOptions/background``; its alpha is
    ///     ignored.
    public init(_ bitmap: Bitmap, background: RGBA8 = RGBA8(red: 255, green: 255, blue: 255)) {
        self.init(of: bitmap, columns: 4, rows: 3, background: background)
    }

    /// Computes the hash of an image.
    ///
    /// A side of more than 64 pixels is first averaged to 64 cells in linear light; for smooth images this changes no
    /// term by more than one quantisation step. Up to 64 pixels per side every pixel is used directly.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - columns: Horizontal terms, 1...9.
    ///   - rows: Vertical terms, 1...9.
    ///   - background: Colour composited under transparent pixels, as in ``JPEGOptions/background``; its alpha is
    ///     ignored.
    /// - Throws: `invalidArgument` when `columns` or `rows` is out of its range.
    public init(
        _ bitmap: Bitmap, columns: Int = 4, rows: Int = 3, background: RGBA8 = RGBA8(red: 255, green: 255, blue: 255)
    ) throws(DecodeError) {
        try DecodeError.check(columns, "columns", isIn: 1...9)
        try DecodeError.check(rows, "rows", isIn: 1...9)
        self.init(of: bitmap, columns: columns, rows: rows, background: background)
    }

    /// - Parameters:
    ///   - columns: 1...9.
    ///   - rows: 1...9.
    private init(of bitmap: Bitmap, columns: Int, rows: Int, background: RGBA8) {
        let exact = BlurHashTerms(of: LightGrid(bitmap, background: background), columns: columns, rows: rows)
        let text = BlurHashText(exact)
        self.init(text: text, columns: columns, rows: rows)
    }

    /// Parses a hash.
    ///
    /// - Throws: `malformed` when the text contains a character outside base 83, when its length does not match its
    ///   first character, or when a number is larger than the maximum that the encoder writes.
    public init(_ description: String) throws(DecodeError) {
        guard description.utf8.count <= 166 else { throw Self.malformed("the text has more than 166 bytes") }
        let digits = try Base83.digits(of: description)
        guard digits.count >= 6 else {
            throw Self.malformed("the text has \(digits.count) characters, at least 6 are required")
        }
        guard digits[0] < 81 else {
            throw Self.malformed("the first character does not encode 1 to 9 columns and 1 to 9 rows")
        }
        let (columns, rows) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
        let count = 4 + 2 * columns * rows
        guard digits.count == count else {
            throw Self.malformed("the text has \(digits.count) characters, \(columns) x \(rows) terms require \(count)")
        }
        let text = BlurHashText(digits: digits)
        guard text.isInRange else { throw Self.malformed("an encoded colour component is out of range") }
        self.init(text: text, columns: columns, rows: rows)
    }

    private init(text: BlurHashText, columns: Int, rows: Int) {
        description = Base83.text(of: text.digits)
        self.columns = columns
        self.rows = rows
        terms = text.terms
    }

    /// The mean colour of the image, opaque.
    public var averageColor: RGBA8 {
        let mean = terms[0]
        return RGBA8(red: SRGB.sample(mean.x), green: SRGB.sample(mean.y), blue: SRGB.sample(mean.z))
    }

    /// Renders the blurred image, opaque, in a trusted size.
    ///
    /// - Parameters:
    ///   - width: Pixels per row, at least 1. 32 pixels are sufficient: the hash contains no finer detail.
    ///   - height: Rows, at least 1.
    ///   - punch: Contrast factor; 1 is the contrast of the image.
    /// - Returns: A bitmap; a side below 1, or a size that does not fit into memory, is a programming error and traps.
    ///   For an untrusted size use ``bitmap(width:height:punch:limits:)``.
    public func bitmap(width: Int, height: Int, punch: Double = 1) -> Bitmap {
        Bitmap(width: width, height: height) { draw(width, height, punch, on: &$0) }
    }

    /// Renders the blurred image, opaque, in a size within `limits`.
    ///
    /// - Parameters:
    ///   - width: Pixels per row, at least 1. 32 pixels are sufficient: the hash contains no finer detail.
    ///   - height: Rows, at least 1.
    ///   - punch: Contrast factor; 1 is the contrast of the image.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the bitmap.
    /// - Throws: `invalidArgument` when a side is below 1, `limitExceeded`, `outOfMemory`.
    public func bitmap(
        width: Int, height: Int, punch: Double = 1, limits: DecodeLimits
    ) throws(DecodeError) -> Bitmap {
        try Bitmap.written(width: width, height: height, limits: limits) { (pixels) throws(DecodeError) in
            draw(width, height, punch, on: &pixels)
        }
    }

    private func draw(_ width: Int, _ height: Int, _ punch: Double, on pixels: inout MutableSpan<UInt8>) {
        let scaled = terms.enumerated().map { $0.offset == 0 ? $0.element : $0.element * punch }
        let horizontal = (0..<columns).map { Cosine.samples($0, count: width) }
        for y in 0..<height {
            let vertical = (0..<rows).map { Cosine.value($0, at: y, of: height) }
            let sums = (0..<columns).map { column in
                (0..<rows).reduce(SIMD3<Double>.zero) { $0 + scaled[$1 * columns + column] * vertical[$1] }
            }
            for x in 0..<width {
                var light = SIMD3<Double>.zero
                for column in 0..<columns { light += sums[column] * horizontal[column][x] }
                let at = (y * width + x) * 4
                for channel in 0..<3 { pixels[at + channel] = SRGB.sample(light[channel]) }
                pixels[at + 3] = 255
            }
        }
    }

    fileprivate static func malformed(_ message: String) -> DecodeError {
        DecodeError(.malformed, "blurhash: \(message)")
    }
}
