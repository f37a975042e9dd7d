import PlatformImageTestSupport

/// A DEFLATE stream of random blocks of all three types, and its decompressed content. The bytes are 0 to 4, so that
/// each of them is a valid filter byte of a row.
struct RandomDeflate {
    private(set) var writer = DeflateWriter()
    private(set) var content: [UInt8] = []
    private var random: SplitMix

    /// Rarely adds invalid data: some that only zlib rejects, and some that both zlib and libdeflate reject.
    init(seed: UInt64, multipleOf rowSize: Int) {
        random = SplitMix(seed: seed)
        // Usually starts with data for matches to refer to.
        if !rarely(4) { addStored(isLast: false, count: 128) }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: addStored(isLast: false)
            case 1: addFixed(isLast: false)
            default: addDynamic()
            }
        }
        // The last block completes the last row.
        let isStored = Bool.random(using: &random)
        let count = rowSize - content.count % rowSize
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...4, using: &random) }
        content += bytes
        if isStored {
            writer.writeStored(bytes[...], isLast: true)
        } else {
            writer.beginFixed(isLast: true)
            for byte in bytes { writer.writeFixed(Int(byte)) }
            writer.writeFixed(256)
            writer.align()
        }
    }

    private mutating func rarely(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }

    private mutating func addStored(isLast: Bool, count: Int? = nil) {
        let count = count ?? Int.random(in: 0...90, using: &random)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...4, using: &random) }
        writer.writeStored(bytes[...], isLast: isLast, complement: rarely(30) ? 7 : nil)
        content += bytes
    }

    private mutating func addFixed(isLast: Bool) {
        writer.beginFixed(isLast: isLast)
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            if Bool.random(using: &random) {
                let byte = UInt8.random(in: 0...4, using: &random)
                writer.writeFixed(Int(byte))
                content.append(byte)
            } else {
                let symbol = rarely(80) ? 287 : Int.random(in: 257...285, using: &random)
                writer.writeFixed(symbol)
                let length = addLength(symbol)
                let distance = rarely(80) ? 30 : Int.random(in: 0...12, using: &random)
                writer.write(codeword: distance, bits: 5)
                copy(length, distance: addDistance(distance))
            }
        }
        writer.writeFixed(256)
    }

    private mutating func addDynamic() {
        let literalCount = rarely(12) ? 288 : Int.random(in: 260...286, using: &random)
        let distanceCount = rarely(12) ? 32 : Int.random(in: 1...30, using: &random)
        // The code has up to nine symbols: the literals 0 to 4, end of block (256) and three lengths.
        let used = Int.random(in: 2...9, using: &random)
        let some = DeflateWriter.completeLengths(used, of: 9, using: &random)
        var literals = [Int](repeating: 0, count: literalCount)
        let symbols = [0, 1, 2, 3, 4, 256, 257, 258, 259]
        for (symbol, length) in zip(symbols, some) { literals[symbol] = length }
        if literals[256] == 0, let first = literals.firstIndex(where: { $0 > 0 }) { literals.swapAt(256, first) }
        if rarely(3) {  // codewords of 1 to 15 bits, some in subtables
            literals = [Int](repeating: 0, count: literalCount)
            let all = (symbols + [10, 20, 30, 40, 50, 60, 70]).shuffled(using: &random)
            for (index, symbol) in all.enumerated() { literals[symbol] = min(index + 1, 15) }
        }
        var distances = DeflateWriter.completeLengths(
            Int.random(in: 1...distanceCount, using: &random), of: distanceCount, using: &random)
        if rarely(8) { distances = [Int](repeating: 0, count: distanceCount) }
        if rarely(30) { literals[Int.random(in: 0..<literalCount, using: &random)] = 3 }
        if rarely(30) { distances[Int.random(in: 0..<distanceCount, using: &random)] = 2 }
        let isRun = rarely(10)
        writer.beginDynamic(
            isLast: false, literals: literals, distances: distances,
            runs: isRun ? [literalCount + distanceCount - 1: (symbol: 18, extra: 5)] : [:])
        if isRun { distances[distanceCount - 1] = 0 }
        let (code, distanceCode) = (DeflateWriter.codewords(literals), DeflateWriter.codewords(distances))
        let usable = [0, 1, 2, 3, 4, 257, 258, 259].filter { $0 < literals.count && literals[$0] > 0 }
        for _ in 0..<Int.random(in: 0...50, using: &random) {
            guard let symbol = usable.randomElement(using: &random) else { break }
            writer.write(codeword: code[symbol], bits: literals[symbol])
            guard symbol > 256 else {
                content.append(UInt8(symbol))
                continue
            }
            let length = addLength(symbol)
            let near = distances.indices.filter { distances[$0] > 0 && ($0 < 12 || rarely(9)) }
            if let index = near.randomElement(using: &random) {
                writer.write(codeword: distanceCode[index], bits: distances[index])
                copy(length, distance: addDistance(index))
            } else {  // a code without codewords
                writer.write(0, bits: 1)
                copy(length, distance: 1)
            }
        }
        writer.write(codeword: rarely(60) ? 1 : code[256], bits: max(1, literals[256]))
    }

    /// Writes random extra bits; returns the length.
    private mutating func addLength(_ symbol: Int) -> Int {
        let index = symbol - 257
        guard index < 28 else { return 258 }
        let extra = index < 8 ? 0 : index / 4 - 1
        let value = Int.random(in: 0..<(1 << extra), using: &random)
        writer.write(value, bits: extra)
        return (index < 8 ? index + 3 : ((4 + index % 4) << extra) + 3) + value
    }

    private mutating func addDistance(_ symbol: Int) -> Int {
        let symbol = min(symbol, 29)
        let extra = symbol < 4 ? 0 : symbol / 2 - 1
        let value = Int.random(in: 0..<(1 << extra), using: &random)
        writer.write(value, bits: extra)
        return (symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1) + value
    }

    /// If the distance is too large, the stream is invalid and the appended content is not used.
    private mutating func copy(_ length: Int, distance: Int) {
        for _ in 0..<length { content.append(distance <= content.count ? content[content.count - distance] : 0) }
    }
}
