// Quantisation of BlurHash terms and their base 83 text.

/// A hash as base 83 digits: one for the numbers of columns and rows, one for the range of the terms, four for the
/// first term (the mean colour), two for each further term.
struct BlurHashText {
    let digits: [Int]

    init(digits: [Int]) { self.digits = digits }

    /// Quantises terms in linear light, in row-major order, the mean first.
    init(_ exact: BlurHashTerms) {
        let otherTerms = exact.values.dropFirst()
        let largest = otherTerms.reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        let range = otherTerms.isEmpty ? 0 : Int(max(0, min(82, (largest * 166 - 0.5).rounded(.down))))
        let mean = exact.values[0]
        let color = [mean.x, mean.y, mean.z].reduce(0) { $0 << 8 | Int(SRGB.sample($1)) }
        var digits = [exact.columns - 1 + (exact.rows - 1) * 9, range]
        digits += Base83.digits(of: color, count: 4)
        let scale = Self.scale(range)
        for term in otherTerms {
            let steps = [term.x, term.y, term.z].map { value in
                let root = value < 0 ? -(-value / scale).squareRoot() : (value / scale).squareRoot()
                return Int(max(0, min(18, (root * 9 + 9.5).rounded(.down))))
            }
            digits += Base83.digits(of: steps.reduce(0) { $0 * 19 + $1 }, count: 2)
        }
        self.digits = digits
    }

    /// False when a number is larger than the maximum that the encoder writes.
    var isInRange: Bool {
        color < 1 << 24 && stride(from: 6, to: digits.count, by: 2).allSatisfy { term(at: $0) < 19 * 19 * 19 }
    }

    /// The terms represented by the digits.
    var terms: [SIMD3<Double>] {
        let channels = [color >> 16, color >> 8 & 255, color & 255].map { SRGB.light(UInt8($0)) }
        let scale = Self.scale(digits[1])
        let mean = SIMD3(channels[0], channels[1], channels[2])
        return [mean]
            + stride(from: 6, to: digits.count, by: 2).map { at in
                let steps = term(at: at)
                let parts = [steps / 361, steps / 19 % 19, steps % 19].map { step in
                    let root = Double(step - 9) / 9
                    return root * abs(root) * scale
                }
                return SIMD3(parts[0], parts[1], parts[2])
            }
    }

    private var color: Int { digits[2..<6].reduce(0) { $0 * 83 + $1 } }

    private func term(at index: Int) -> Int { digits[index] * 83 + digits[index + 1] }

    private static func scale(_ range: Int) -> Double { Double(range + 1) / 166 }
}

/// Base 83 digits with values 0...82.
enum Base83 {
    private static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    static func digits(of value: Int, count: Int) -> [Int] {
        var (digits, remaining) = ([Int](repeating: 0, count: count), value)
        for position in digits.indices.reversed() {
            digits[position] = remaining % 83
            remaining /= 83
        }
        return digits
    }

    static func text(of digits: [Int]) -> String {
        String(decoding: digits.map { characters[$0] }, as: UTF8.self)
    }

    static func digits(of text: String) throws(DecodeError) -> [Int] {
        var digits: [Int] = []
        for byte in text.utf8 {
            guard let digit = characters.firstIndex(of: byte) else {
                throw DecodeError(
                    .malformed, "blurhash: byte \(byte) at position \(digits.count) is not a base 83 digit")
            }
            digits.append(digit)
        }
        return digits
    }
}
