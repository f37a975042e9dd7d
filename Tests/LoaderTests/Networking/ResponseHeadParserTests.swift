import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct ResponseHeadParserTests {
    /// Passes lines as libcurl does: split after each LF. Returns the head and the framing.
    private static func parse(_ wire: [UInt8], limits: ResponseHeadParser.Limits = .init()) throws -> (
        head: ResponseHead?, framing: BodyFraming
    ) {
        var parser = ResponseHeadParser(limits: limits)
        var rest = wire[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = Array(rest[...end])
            rest = rest[(end + 1)...]
            if let received = try line.withUnsafeBufferPointer({ try parser.parse($0) }) {
                return (received.head, parser.framing)
            }
        }
        return (nil, parser.framing)
    }

    private static func reason(_ wire: [UInt8], limits: ResponseHeadParser.Limits = .init()) -> LoadError
        .TransportReason?
    {
        do {
            _ = try parse(wire, limits: limits)
            return nil
        } catch {
            return (error as? MessageViolation)?.reason
        }
    }

    @Test func eachByteInAFieldNameOrValueIsAcceptedExactlyWhenRFC9110AllowsIt() throws {
        let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max where byte != 0x0A {
            let inName = Array("HTTP/1.1 200 OK\r\nA".utf8) + [byte] + Array("B: 1\r\n\r\n".utf8)
            let isColon = byte == UInt8(ascii: ":")
            #expect((Self.reason(inName) == nil) == (token.contains(byte) || isColon), "byte \(byte) in a name")
            let inValue = Array("HTTP/1.1 200 OK\r\nA: x".utf8) + [byte] + Array("y\r\n\r\n".utf8)
            let isAllowed = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
            #expect((Self.reason(inValue) == nil) == isAllowed, "byte \(byte) in a value")
            if isAllowed { #expect(try Self.parse(inValue).head?.fields["A"] == [0x78, byte, 0x79]) }
        }
    }

    @Test(arguments: [
        ("A: b\r\n c", "b c"), ("A: b \r\n\t \tc\t", "b c"), ("A: b\r\n c\r\n  d", "b c d"), ("A:\r\n c", "c"),
        ("A: b\r\n \r\n c", "b c"), ("A: b\r\n : c", "b : c"),
    ])
    func foldedLineContinuesTheValueAfterOneSpace(_ field: String, _ value: String) throws {
        let head = try Self.parse(Array("HTTP/1.1 200 OK\r\n\(field)\r\nX: y\r\n\r\n".utf8)).head

        let lines = head?.fields.lines.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
        #expect(lines == ["A=\(value)", "X=y"])
    }

    @Test func limitOfBytesIsExact() throws {
        let interim = "HTTP/1.1 103 Early\r\nX: 1\r\n\r\n"
        let wire = Array((interim + "HTTP/1.1 200 OK\r\nA: b\r\n\r\n").utf8)

        #expect(Self.reason(wire, limits: .init(bytes: wire.count)) == nil)
        #expect(Self.reason(wire, limits: .init(bytes: wire.count - 1)) == .headTooLarge)
    }

    @Test func limitOfInterimHeadsIsExact() throws {
        let wire = Array((String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 7) + "HTTP/1.1 200 OK\r\n\r\n").utf8)

        #expect(Self.reason(wire, limits: .init(interimHeads: 7)) == nil)
        #expect(Self.reason(wire, limits: .init(interimHeads: 6)) == .tooManyHeads)
    }

    /// Changes bytes of a valid head at random and compares the parser with a naive one.
    @Test func changedHeadsAreAcceptedExactlyWhenTheNaiveParserAcceptsThem() throws {
        let seeds = [
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nServer: a b\r\n\r\n",
            "HTTP/1.0 404\r\nTransfer-Encoding: chunked\r\nX-A:\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nDate: Sun\r\n\r\n",
        ].map { Array($0.utf8) }
        let alphabet = Array("\r\n\t\u{0} :;,019aZ-/.H\u{7F}é".utf8)
        var random = SplitMix(seed: 36)
        var (accepted, rejected) = (0, 0)
        for _ in 0..<30_000 {
            var wire = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let index = Int.random(in: wire.indices, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: wire[index] = byte
                case 1: wire.insert(byte, at: index)
                default: wire.remove(at: index)
                }
            }
            let expected = NaiveHead(wire)
            let got = try? Self.parse(wire).head.map { ($0, try? Self.parse(wire).framing) }
            let isEqual = got?.0.status == expected?.status && got?.0.fields.lines.map(\.name) == expected?.names
            #expect(isEqual, "\(String(decoding: wire, as: UTF8.self).debugDescription)")
            if expected == nil { rejected += 1 } else { accepted += 1 }
        }
        #expect(accepted > 1_000 && rejected > 1_000, "\(accepted) accepted, \(rejected) rejected")
    }

    /// A parser that is written for clarity: splits the complete head at its line ends.
    private struct NaiveHead {
        let status: Int
        let names: [String]

        init?(_ wire: [UInt8]) {
            // libcurl passes lines that end with LF; the head is complete at the first empty line.
            var lines: [[UInt8]] = []
            var line: [UInt8] = []
            for byte in wire {
                line.append(byte)
                guard byte == 0x0A else { continue }
                guard line.count >= 2, line[line.count - 2] == 0x0D else { return nil }
                lines.append(Array(line.dropLast(2)))
                line = []
                if lines.count > 1, lines.last == [] { break }
            }
            guard lines.count > 1, lines.removeLast() == [] else { return nil }
            let first = lines.removeFirst()
            let text = String(decoding: first, as: UTF8.self)
            guard text.hasPrefix("HTTP/1.1 ") || text.hasPrefix("HTTP/1.0 "), first.count >= 12,
                first.count == 12 || first[12] == 0x20, Self.isText(first),
                first[9..<12].allSatisfy({ (0x30...0x39).contains($0) }),
                let status = Int(String(decoding: first[9..<12], as: UTF8.self)), status >= 200
            else { return nil }
            var lengths: [String] = []
            var codings: [String] = []
            var names: [String] = []
            for line in lines {
                // A folded line continues the value before it, but not a length or a coding (RFC 9112 §5.2).
                if line.first == 0x20 || line.first == 0x09 {
                    let isFraming = ["content-length", "transfer-encoding"].contains(names.last?.lowercased() ?? "")
                    guard !names.isEmpty, !isFraming, Self.isText(line) else { return nil }
                    continue
                }
                guard let colon = line.firstIndex(of: 0x3A), colon > 0, Self.isText(line) else { return nil }
                let name = String(decoding: line[..<colon], as: UTF8.self)
                guard name.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) })
                else { return nil }
                names.append(name)
                let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingBlanks.lowercased()
                if name.lowercased() == "content-length" { lengths.append(value) }
                if name.lowercased() == "transfer-encoding" { codings.append(value) }
            }
            guard lengths.count <= 1, codings.count <= 1, lengths.isEmpty || codings.isEmpty,
                lengths.allSatisfy({
                    !$0.isEmpty && $0.count <= 18 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
                }),
                codings.allSatisfy({ $0 == "chunked" || $0 == "identity" })
            else { return nil }
            self.status = status
            self.names = names
        }

        private static func isText(_ line: [UInt8]) -> Bool {
            line.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
        }
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(drop { " \t".contains($0) }.reversed().drop { " \t".contains($0) }.reversed())
    }
}
