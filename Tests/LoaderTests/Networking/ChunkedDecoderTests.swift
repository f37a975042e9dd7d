import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct ChunkedDecoderTests {
    private enum Outcome: Equatable {
        case complete([UInt8])
        case incomplete([UInt8])
        case invalid(LoadError.TransportReason)
    }

    /// Decodes the pieces.
    private static func decode(_ pieces: [[UInt8]], limits: ChunkedDecoder.Limits = .init()) -> Outcome {
        var decoder = ChunkedDecoder(limits: limits)
        var content: [UInt8] = []
        for piece in pieces {
            do throws(MessageViolation) {
                try piece.withUnsafeBufferPointer { bytes throws(MessageViolation) in
                    try decoder.decode(bytes, into: &content)
                }
            } catch {
                return .invalid(error.reason)
            }
        }
        return decoder.isComplete ? .complete(content) : .incomplete(content)
    }

    private static let bodies = [
        "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "5;a=b\r\nhello\r\n1 \r\n!\r\n000\r\nX: 1\r\nY:\r\n\r\n",
        "A;q=\"\t;\"\r\n0\r\n\r\n5\r\nab\r\n3 ; x\r\n\r\n\r\r\n0\r\n\r\nrest", "5\r\nhel", "5\nhello\n0\n\n",
        "5\r\nhello0\r\n\r\n",
        "g\r\n", "5\r\nhello\r\n0\r\nX\r\n\r\n", "7fffffffffffffff\r\nhello", "8000000000000000\r\n", "",
    ]

    @Test(arguments: bodies) func everySplitOfABodyHasTheSameResult(_ body: String) {
        let bytes = Array(body.utf8)
        let whole = Self.decode([bytes])

        #expect(Self.decode(bytes.map { [$0] }) == whole)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                #expect(Self.decode(pieces) == whole, "split at \(first) and \(second)")
            }
        }
    }

    @Test(arguments: bodies) func everyPrefixOfABodyIsIncompleteOrInvalid(_ body: String) {
        let bytes = Array(body.utf8)
        let end = NaiveChunks(bytes).end ?? bytes.count
        for count in 0..<end {
            if case .complete = Self.decode([Array(bytes[..<count])]) { Issue.record("complete after \(count) bytes") }
        }
    }

    @Test func changedBodiesHaveTheResultOfTheNaiveDecoder() {
        var random = SplitMix(seed: 9112)
        let alphabet = Array("\r\n0159aFg; \t\u{0}x:".utf8)
        var (complete, invalid) = (0, 0)
        for _ in 0..<30_000 {
            var bytes = Array((Self.bodies.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                default: bytes.remove(at: index)
                }
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let outcome = Self.decode([Array(bytes[..<cut]), Array(bytes[cut...])])
            let naive = NaiveChunks(bytes)
            switch outcome {
            case .complete(let content):
                #expect(naive.end != nil && naive.content == content, "\(bytes)")
                complete += 1
            case .incomplete(let content):
                #expect(naive.end == nil && !naive.isInvalid && naive.content == content, "\(bytes)")
            case .invalid(let reason):
                #expect(naive.isInvalid && reason == .invalidFraming, "\(bytes)")
                invalid += 1
            }
        }
        #expect(complete > 1_000 && invalid > 1_000, "\(complete) complete, \(invalid) invalid")
    }

    @Test func limitsAreExact() {
        let line = Array("5;abcdef\r\nhello\r\n0\r\n\r\n".utf8)
        let trailers = Array("0\r\nA: bc\r\nD: e\r\n\r\n".utf8)
        let many = Array((String(repeating: "1\r\nx\r\n", count: 100) + "0\r\n\r\n").utf8)

        #expect(Self.decode([line], limits: .init(lineBytes: 8)) == .complete(Array("hello".utf8)))
        #expect(Self.decode([line], limits: .init(lineBytes: 7)) == .invalid(.framingTooLarge))
        #expect(Self.decode([trailers], limits: .init(trailerBytes: 9)) == .complete([]))
        #expect(Self.decode([trailers], limits: .init(trailerBytes: 8)) == .invalid(.framingTooLarge))
        // Five bytes of framing per byte of content are below the allowance of 16.
        #expect(Self.decode([many], limits: .init(framingBytes: 5)) == .complete([UInt8](repeating: 0x78, count: 100)))
        #expect(Self.decode([line], limits: .init(framingBytes: 4)) == .complete(Array("hello".utf8)))
        #expect(Self.decode([trailers], limits: .init(framingBytes: 2)) == .invalid(.framingTooLarge))
    }

    /// A decoder that is written for clarity and needs the complete body.
    private struct NaiveChunks {
        var content: [UInt8] = []
        /// The index after the last byte of the coding; nil if the body is incomplete or invalid.
        var end: Int?
        var isInvalid = false

        init(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while true {
                guard let size = line(&rest, isValid: Self.isPrefixOfSizeLine) else { return }
                let digits = size.prefix { Self.isHex($0) }
                guard let count = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else {
                    isInvalid = true
                    return
                }
                if count == 0 { break }
                content += rest.prefix(Int(count))
                rest = rest.dropFirst(Int(count))
                for expected in [0x0D, 0x0A] as [UInt8] {
                    guard let byte = rest.popFirst() else { return }
                    guard byte == expected else {
                        isInvalid = true
                        return
                    }
                }
            }
            while let trailer = line(&rest, isValid: Self.isPrefixOfTrailer) {
                guard trailer.isEmpty else { continue }
                end = rest.startIndex
                return
            }
        }

        /// Removes a line that ends with CRLF; nil if it is incomplete or invalid.
        private mutating func line(_ rest: inout ArraySlice<UInt8>, isValid: ([UInt8], Bool) -> Bool) -> [UInt8]? {
            let end = rest.firstIndex(of: 0x0D) ?? rest.endIndex
            let text = Array(rest[..<end])
            let isEnded = end < rest.endIndex
            guard isValid(text, isEnded) else {
                isInvalid = true
                return nil
            }
            rest = rest[end...].dropFirst()
            guard isEnded, let byte = rest.popFirst() else { return nil }
            isInvalid = byte != 0x0A
            return isInvalid ? nil : text
        }

        private static func isHex(_ byte: UInt8) -> Bool {
            "0123456789abcdefABCDEF".utf8.contains(byte)
        }

        private static func isPrefixOfSizeLine(_ text: [UInt8], isEnded: Bool) -> Bool {
            let digits = text.prefix(while: isHex)
            if digits.isEmpty { return text.isEmpty && !isEnded }
            guard digits.count <= 16, Int64(String(decoding: digits, as: UTF8.self), radix: 16) != nil else {
                return false
            }
            let rest = text[digits.count...].drop { $0 == 0x20 || $0 == 0x09 }
            return rest.isEmpty || (rest.first == 0x3B && rest.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
        }

        private static func isPrefixOfTrailer(_ text: [UInt8], isEnded: Bool) -> Bool {
            let name = text.prefix { (0x21..<0x7F).contains($0) && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
            if text.isEmpty { return true }
            guard !name.isEmpty else { return false }
            let rest = text[name.count...]
            if rest.isEmpty { return !isEnded }
            return rest.first == 0x3A && rest.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
        }
    }
}
