import PlatformImageTestSupport

/// A raw DEFLATE stream (RFC 1951), written field by field.
struct DeflateWriter {
    private(set) var bytes: [UInt8] = []
    private var bits: UInt64 = 0
    private var bitCount = 0

    /// The lowest bits of `value`, the lowest first.
    mutating func write(_ value: Int, bits count: Int) {
        bits |= UInt64(value) << UInt64(bitCount)
        bitCount += count
        while bitCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    /// Fills the last byte with zeros.
    mutating func align() { if bitCount > 0 { write(0, bits: 8 - bitCount) } }

    /// A codeword, whose highest bit comes first.
    mutating func write(codeword: Int, bits count: Int) {
        for bit in (0..<count).reversed() { write(codeword >> bit & 1, bits: 1) }
    }

    mutating func beginFixed(isLast: Bool) { write(isLast ? 3 : 2, bits: 3) }

    /// A symbol of the fixed code, 0 to 287.
    mutating func writeFixed(_ symbol: Int) {
        switch symbol {
        case ..<144: write(codeword: 0x30 + symbol, bits: 8)
        case ..<256: write(codeword: 0x190 + symbol - 144, bits: 9)
        case ..<280: write(codeword: symbol - 256, bits: 7)
        default: write(codeword: 0xC0 + symbol - 280, bits: 8)
        }
    }

    mutating func writeStored(_ content: ArraySlice<UInt8>, isLast: Bool, complement: Int? = nil) {
        write(isLast ? 1 : 0, bits: 3)
        align()
        write(content.count, bits: 16)
        write(complement ?? ~content.count & 0xFFFF, bits: 16)
        bytes += content
    }

    /// The header of a dynamic block whose codeword lengths are written one by one, with 13 lengths of 4 bits and 6 of
    /// 5.
    ///
    /// - Parameter runs: Symbols 16 to 18 with their extra bits instead of a length, by their index.
    mutating func beginDynamic(
        isLast: Bool, literals: [Int], distances: [Int], runs: [Int: (symbol: Int, extra: Int)] = [:],
        lengthsOfLengths: [Int]? = nil
    ) {
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        let own = lengthsOfLengths ?? (0..<19).map { $0 < 13 ? 4 : 5 }
        write(isLast ? 5 : 4, bits: 3)
        write(literals.count - 257, bits: 5)
        write(distances.count - 1, bits: 5)
        write(15, bits: 4)
        for symbol in order { write(own[symbol], bits: 3) }
        let code = Self.codewords(own)
        for (index, length) in (literals + distances).enumerated() {
            let symbol = runs[index]?.symbol ?? length
            write(codeword: code[symbol], bits: own[symbol])
            if let run = runs[index] { write(run.extra, bits: [16: 2, 17: 3, 18: 7][run.symbol] ?? 0) }
        }
    }

    /// The canonical code (RFC 1951, 3.2.2).
    static func codewords(_ lengths: [Int]) -> [Int] {
        var next = 0
        var code = [Int](repeating: 0, count: lengths.count)
        for length in 1...15 {
            next *= 2
            for symbol in lengths.indices where lengths[symbol] == length {
                code[symbol] = next
                next += 1
            }
        }
        return code
    }

    /// Codeword lengths of a complete code, made by splitting codewords at random.
    static func completeLengths(_ used: Int, of count: Int, longest: Int = 15, using random: inout SplitMix) -> [Int] {
        var lengths = [0]
        while lengths.count < used {
            let index =
                Bool.random(using: &random) ? lengths.count - 1 : Int.random(in: lengths.indices, using: &random)
            guard lengths[index] < longest else { continue }
            lengths[index] += 1
            lengths.append(lengths[index])
        }
        if lengths.count == 1 { lengths = [1] }
        var all = lengths + [Int](repeating: 0, count: count - lengths.count)
        all.shuffle(using: &random)
        return all
    }
}
