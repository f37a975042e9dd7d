#if Loader
internal import Crypto
import PlatformImage

/// The name of an entry's file: 64 lower-case hexadecimal digits, the first two of them the shard's folder.
///
/// Nothing of an address reaches a file name but through SHA-256, so its length, case and dots do not matter.
struct DiskName: Hashable {
    /// How many folders entries are spread over.
    static let shardCount = 256
    /// Digits of the file's own name.
    static let digitCount = 62

    // 32 bytes without an allocation: a sweep holds one for every file.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// The file of a key's newest response, or of another variant.
    init(_ key: [UInt8], variant: [UInt8] = []) {
        var hash = SHA256()
        hash.update(data: key)
        if !variant.isEmpty {
            hash.update(data: [0])
            hash.update(data: variant)
        }
        words = hash.finalize().withUnsafeBytes { digest in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The entry that a file in a shard's folder may be; nil when it is none of ours.
    init?(shard: Int, fileName: some Collection<UInt8>) {
        guard fileName.count == Self.digitCount else { return nil }
        var words: [UInt64] = [UInt64(shard), 0, 0, 0]
        for (index, digit) in fileName.enumerated() {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            words[(index + 2) / 16] = words[(index + 2) / 16] << 4 | UInt64(value)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// 0...255.
    var shard: Int { Int(words.0 >> 56) }

    /// The name inside the shard's folder, ending with 0.
    var fileName: [CChar] {
        var name: [CChar] = []
        name.reserveCapacity(Self.digitCount + 1)
        append(to: &name)
        name.append(0)
        return name
    }

    /// A name in the shard of this one as a path from the folder of all shards.
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
            Self.spell(words.0, in: buffer[0..<14])
            Self.spell(words.1, in: buffer[14..<30])
            Self.spell(words.2, in: buffer[30..<46])
            Self.spell(words.3, in: buffer[46..<62])
            count = Self.digitCount
        }
    }

    /// Fills the buffer with the lowest digits of a word.
    private static func spell(_ word: UInt64, in buffer: Slice<UnsafeMutableBufferPointer<CChar>>) {
        var buffer = buffer
        var rest = word
        for index in buffer.indices.reversed() {
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            buffer[index] = CChar(digit < 10 ? 0x30 + digit : 0x57 + digit)
            rest >>= 4
        }
    }

    /// The path below the cache's folder, for people.
    var path: String {
        "v1/" + Self.text(Self.shardName(shard)) + "/" + Self.text(fileName)
    }

    /// A name for a file that is being written: `<name>.<pid>.<number>.tmp`, ending with 0.
    ///
    /// - Parameter number: One that no other file of this name has now.
    func temporaryName(_ number: UInt64) -> [CChar] {
        var name: [CChar] = []
        name.reserveCapacity(Self.digitCount + 34)
        append(to: &name)
        name.append(Self.dot)
        Self.append(UInt64(System.process), radix: 10, to: &name)
        name.append(Self.dot)
        Self.append(number, radix: 16, to: &name)
        name.append(contentsOf: Self.temporaryEnd)
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
    private static let temporaryEnd: [CChar] = ".tmp".utf8.map { CChar($0) } + [0]

    /// The process that a temporary file belongs to; nil when the name is no temporary file's.
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

    /// Two digits, ending with 0.
    static func shardName(_ shard: Int) -> [CChar] {
        [CChar(digits[shard >> 4 & 15]), CChar(digits[shard & 15]), 0]
    }

    static func == (a: Self, b: Self) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Of a digit as ``digits`` has it, in lower case.
    private static func value(ofDigit digit: UInt8) -> UInt8? {
        digit == digit.lowercasedASCII ? digit.asciiHexValue : nil
    }

    private static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
