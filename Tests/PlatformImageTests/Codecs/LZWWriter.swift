/// LZW of TIFF 6.0, section 13: codes start at the highest bit, and the code width grows one entry early.
struct LZWWriter {
    /// Table entry before which a clear code is written; the specification requires it after entry 4,094. With a number
    /// above 4,096 no clear code is written and the table stays full.
    var fullTable = 4095
    var writesFirstClear = true
    var writesEnd = true

    func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output = Bits()
        var table: [[UInt8]: Int] = [:]
        var (next, width) = (258, 9)
        func clear() {
            table = [:]
            (next, width) = (258, 9)
        }
        if writesFirstClear { output.append(256, 9) }
        var string: [UInt8] = []
        for byte in bytes {
            if string.isEmpty || table[string + [byte]] != nil {
                string.append(byte)
                continue
            }
            output.append(string.count == 1 ? Int(string[0]) : table[string] ?? 0, width)
            if next < 4096 {
                table[string + [byte]] = next
                next += 1
            }
            if next == fullTable {
                output.append(256, width)
                clear()
            } else if next >> width > 0 && width < 12 {
                width += 1
            }
            string = [byte]
        }
        if !string.isEmpty {
            output.append(string.count == 1 ? Int(string[0]) : table[string] ?? 0, width)
            if (next + 1) >> width > 0 && width < 12 { width += 1 }
        }
        if writesEnd { output.append(257, width) }
        return output.bytes
    }

    private struct Bits {
        var bytes: [UInt8] = []
        private var free = 0

        mutating func append(_ code: Int, _ width: Int) {
            for bit in stride(from: width - 1, through: 0, by: -1) {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                free -= 1
                bytes[bytes.count - 1] |= UInt8(code >> bit & 1) << UInt8(free)
            }
        }
    }
}
