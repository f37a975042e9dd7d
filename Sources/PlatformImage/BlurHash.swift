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

    /// The hash of a picture.
    ///
    /// A side of more than 64 pixels is averaged down to 64 cells first, in linear light; in a smooth picture that moves
    /// no term by more than a step of its rounding. Up to 64 pixels a side every pixel counts as it is.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - columns: Terms from left to right, 1...9; others are a caller's error and trap.
    ///   - rows: Terms from top to bottom, 1...9; others are a caller's error and trap.
    ///   - background: What transparent pixels lie on, as in ``JPEGOptions/background``; its alpha is ignored.
    public init(
        _ bitmap: Bitmap, columns: Int = 4, rows: Int = 3, background: RGBA8 = RGBA8(red: 255, green: 255, blue: 255)
    ) {
        precondition((1...9).contains(columns) && (1...9).contains(rows), "a BlurHash has 1...9 terms a side")
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

    /// The blurred picture, opaque.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row, at least 1. 32 are enough: enlarging the result looks the same.
    ///   - height: Rows, at least 1.
    ///   - punch: Contrast; 1 is that of the picture.
    /// - Returns: A bitmap; a size of 0 or one that memory cannot hold is a caller's error and traps.
    public func bitmap(width: Int, height: Int, punch: Double = 1) -> Bitmap {
        let scaled = terms.enumerated().map { $0.offset == 0 ? $0.element : $0.element * punch }
        return Bitmap(width: width, height: height) { pixels in
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
    }

    fileprivate static func malformed(_ message: String) -> DecodeError {
        DecodeError(.malformed, "blurhash: \(message)")
    }
}
