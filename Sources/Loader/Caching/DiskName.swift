import PlatformImage

/// The file name of an entry: 64 lowercase hexadecimal digits, the first two of which are the shard's folder.
///
/// It is a SHA-256 digest, so the length, case and dots of a URL do not matter.
struct DiskName: Hashable {
    /// Number of folders that the entries are distributed over.
    static let shardCount = 256
    /// Digits of the name inside the shard's folder.
    static let digitCount = 62

    // 32 bytes without a heap allocation: an eviction stores one value for every file.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Returns the name of a key's newest response, or of another variant.
    init(_ key: [UInt8], variant: [UInt8] = []) {
        var hash = SHA256()
        hash.update(key)
        if !variant.isEmpty {
            hash.update([0])
            hash.update(variant)
        }
        words = hash.finalize().withUnsafeBytes { digest in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// Parses a file name in a shard's folder; nil when it is not the name of an entry.
    init?(shard: Int, fileName: some Collection<UInt8>) {
        guard fileName.count == Self.digitCount else { return nil }
        var words: [UInt64] = [UInt64(shard), 0, 0, 0]
        for (index, digit) in fileName.enumerated() {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            words[(index + 2) / 16] = words[(index + 2) / 16] << 4 | UInt64(value)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Number of the shard, 0...255.
    var shard: Int { Int(words.0 >> 56) }

    /// The zero-terminated name inside the shard's folder.
    var fileName: [CChar] {
        var name: [CChar] = []
        name.reserveCapacity(Self.digitCount + 1)
        append(to: &name)
        name.append(0)
        return name
    }

    /// Returns the path of a name in this entry's shard, relative to the folder of all shards.
    func pathInShard(_ fileName: [CChar]) -> [CChar] {
        var path: [CChar] = []
        path.reserveCapacity(3 + fileName.count)
        path.append(CChar(Self.digits[shard >> 4 & 15]))
        path.append(CChar(Self.digits[shard & 15]))
        path.append(CChar(UInt8(ascii: "/")))
        path.append(contentsOf: fileName)
        return path
    }

    private func append(to name: inout [CChar]) {
        name += [CChar](unsafeUninitializedCapacity: Self.digitCount) { buffer, count in
            Self.writeHexadecimal(words.0, in: buffer[0..<14])
            Self.writeHexadecimal(words.1, in: buffer[14..<30])
            Self.writeHexadecimal(words.2, in: buffer[30..<46])
            Self.writeHexadecimal(words.3, in: buffer[46..<62])
            count = Self.digitCount
        }
    }

    /// Fills the buffer with the lowest hexadecimal digits of a word.
    private static func writeHexadecimal(_ word: UInt64, in buffer: Slice<UnsafeMutableBufferPointer<CChar>>) {
        var buffer = buffer
        var rest = word
        for index in buffer.indices.reversed() {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            buffer[index] = CChar(digit < 10 ? 0x30 + digit : 0x57 + digit)
            rest >>= 4
        }
    }

    /// The path below the cache's folder, for log messages.
    var path: String {
        "v1/" + Self.text(Self.shardName(shard)) + "/" + Self.text(fileName)
    }

    /// Returns a zero-terminated temporary file name: `<name>.<pid>.<number>.tmp`.
    ///
    /// - Parameter number: Unique among the current temporary files of this entry.
    func temporaryName(_ number: UInt64) -> [CChar] {
        var name: [CChar] = []
        name.reserveCapacity(Self.digitCount + 34)
        append(to: &name)
        name.append(Self.dot)
        Self.append(UInt64(System.process), radix: 10, to: &name)
        name.append(Self.dot)
        Self.append(number, radix: 16, to: &name)
        name.append(contentsOf: Self.temporarySuffix)
        return name
    }

    private static func append(_ number: UInt64, radix: UInt64, to name: inout [CChar]) {
        let start = name.count
        var rest = number
        repeat {
            name.append(CChar(digits[Int(rest % radix)]))
            rest /= radix
        } while rest > 0
        name[start...].reverse()
    }

    private static let dot = CChar(UInt8(ascii: "."))
    private static let temporarySuffix: [CChar] = ".tmp".utf8.map { CChar($0) } + [0]

    /// Returns the process ID in the name of a temporary file; nil for any other name.
    static func process(ofTemporary fileName: some Collection<UInt8>) -> Int32? {
        let parts = Array(fileName).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].count == digitCount, parts[0].allSatisfy({ value(ofDigit: $0) != nil }),
            (1...10).contains(parts[1].count), parts[1].allSatisfy(\.isASCIIDigit),
            (1...16).contains(parts[2].count), parts[2].allSatisfy({ value(ofDigit: $0) != nil }),
            parts[3].elementsEqual("tmp".utf8)
        else { return nil }
        let process = Int32(String(decoding: parts[1], as: UTF8.self))
        return process.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the zero-terminated folder name of a shard: two digits.
    static func shardName(_ shard: Int) -> [CChar] {
        [CChar(digits[shard >> 4 & 15]), CChar(digits[shard & 15]), 0]
    }

    static func == (a: Self, b: Self) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the value of a lowercase hexadecimal digit.
    private static func value(ofDigit digit: UInt8) -> UInt8? {
        digit == digit.lowercasedASCII ? digit.asciiHexValue : nil
    }

    private static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
