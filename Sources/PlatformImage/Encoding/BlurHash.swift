/// A picture in 6 to 166 characters, to be shown blurred until the picture itself is there.
///
/// The format is that of BlurHash (https://github.com/woltapp/blurhash): the first terms of a cosine transform in
/// linear light, in base 83.
public struct BlurHash: Hashable, Sendable, CustomStringConvertible {
    /// The characters, such as `LEHV6nWB2yk8pyo0adR*.7kCMdnj`.
    public let description: String
    /// Terms from left to right, 1...9.
    public let columns: Int
    /// Terms from top to bottom, 1...9.
    public let rows: Int

    /// Terms in linear light, row after row; the first is the mean colour. As they are after rounding.
    private let terms: [SIMD3<Double>]

    /// The hash of a picture, of 4 x 3 terms.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - background: What transparent pixels lie on, as in ``JPEGOptions/background``; its alpha is ignored.
    public init(_ bitmap: Bitmap, background: RGBA8 = RGBA8(red: 255, green: 255, blue: 255)) {
        self.init(of: bitmap, columns: 4, rows: 3, background: background)
    }

    /// The hash of a picture, of as many terms as asked for.
    ///
    /// A side of more than 64 pixels is averaged down to 64 cells first, in linear light; in a smooth picture that
    /// moves no term by more than a step of its rounding. Up to 64 pixels a side every pixel counts as it is.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - columns: Terms from left to right, 1...9.
    ///   - rows: Terms from top to bottom, 1...9.
    ///   - background: What transparent pixels lie on, as in ``JPEGOptions/background``; its alpha is ignored.
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

    /// Reads a hash.
    ///
    /// - Throws: `malformed` when the text has a character outside base 83, another length than its first character
    ///   says, or a number that no picture gives.
    public init(_ description: String) throws(DecodeError) {
        guard description.utf8.count <= 166 else { throw Self.malformed("more than 166 bytes") }
        let digits = try Base83.digits(of: description)
        guard digits.count >= 6 else { throw Self.malformed("\(digits.count) characters, at least 6 are needed") }
        guard digits[0] < 81 else { throw Self.malformed("the first character does not name a size") }
        let (columns, rows) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
        let count = 4 + 2 * columns * rows
        guard digits.count == count else {
            throw Self.malformed("\(digits.count) characters, \(columns) x \(rows) terms take \(count)")
        }
        let text = BlurHashText(digits: digits)
        guard text.isInRange else { throw Self.malformed("a number is out of its range") }
        self.init(text: text, columns: columns, rows: rows)
    }

    private init(text: BlurHashText, columns: Int, rows: Int) {
        description = Base83.text(of: text.digits)
        self.columns = columns
        self.rows = rows
        terms = text.terms
    }

    /// The mean colour of the picture, opaque.
    public var averageColor: RGBA8 {
        let mean = terms[0]
        return RGBA8(red: SRGB.sample(mean.x), green: SRGB.sample(mean.y), blue: SRGB.sample(mean.z))
    }

    /// The blurred picture, opaque, in a size that the program chose.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row, at least 1. 32 are enough: enlarging the result looks the same.
    ///   - height: Rows, at least 1.
    ///   - punch: Contrast; 1 is that of the picture.
    /// - Returns: A bitmap; a size of 0 or one that memory cannot hold is a programming error and traps. For a size
    ///   that came from outside use ``bitmap(width:height:punch:limits:)``.
    public func bitmap(width: Int, height: Int, punch: Double = 1) -> Bitmap {
        Bitmap(width: width, height: height) { draw(width, height, punch, on: &$0) }
    }

    /// The blurred picture, opaque, in any size that `limits` allow.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row, at least 1. 32 are enough: enlarging the result looks the same.
    ///   - height: Rows, at least 1.
    ///   - punch: Contrast; 1 is that of the picture.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` hold for the bitmap.
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
        let across = (0..<columns).map { Cosine.samples($0, count: width) }
        for y in 0..<height {
            let down = (0..<rows).map { Cosine.value($0, at: y, of: height) }
            let sums = (0..<columns).map { column in
                (0..<rows).reduce(SIMD3<Double>.zero) { $0 + scaled[$1 * columns + column] * down[$1] }
            }
            for x in 0..<width {
                var light = SIMD3<Double>.zero
                for column in 0..<columns { light += sums[column] * across[column][x] }
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
