#if Service
import HTTPTypes
import PlatformImage

/// The place of a request in a trace that began elsewhere (W3C Trace Context).
struct TraceContext: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits, not all of them 0.
    let traceID: String
    /// What the sender calls its part: 16 such digits, not all 0.
    let parentID: String
    /// The flags that are defined: sampled (1) and random (2).
    let flags: UInt8
    /// What vendors add, at most 512 bytes of whole members; nil for nothing, or nothing valid.
    let state: String?

    /// Nil for fields that are missing or no valid ones; tracestate alone says nothing.
    init?(_ fields: HTTPFields) {
        guard let parent = fields[.traceParent] else { return nil }
        self.init(parent: parent, state: fields[.traceState])
    }

    init?(parent: String, state: String?) {
        let bytes = Array(parent.utf8)
        // Later versions may append parts, but begin as version 00 does; ff is none.
        guard bytes.count == 55 || bytes.count > 55 && bytes[55] == UInt8(ascii: "-"),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") })
        else { return nil }
        let (version, trace, parent, flags) = (bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55])
        guard [version, trace, parent, flags].allSatisfy({ $0.allSatisfy(Self.isLowerHexadecimalDigit) }),
            !version.elementsEqual("ff".utf8), bytes.count == 55 || !version.elementsEqual("00".utf8),
            !trace.allSatisfy({ $0 == UInt8(ascii: "0") }), !parent.allSatisfy({ $0 == UInt8(ascii: "0") }),
            let flags = UInt8(String(decoding: flags, as: UTF8.self), radix: 16)
        else { return nil }
        traceID = String(decoding: trace, as: UTF8.self)
        parentID = String(decoding: parent, as: UTF8.self)
        self.flags = flags & 3
        self.state = state.flatMap(TraceState.validated)
    }

    /// traceparent and tracestate for a request of ours, which has a part of its own.
    ///
    /// - Parameter spanID: Not 0.
    func fields(spanID: UInt64 = .random(in: 1 ... .max)) -> [(name: String, value: String)] {
        var fields = [(name: "traceparent", value: "00-\(traceID)-\(Hexadecimal.text(spanID))-0\(flags)")]
        if let state { fields.append((name: "tracestate", value: state)) }
        return fields
    }

    private static func isLowerHexadecimalDigit(_ byte: UInt8) -> Bool {
        byte.asciiHexValue != nil && byte == byte.lowercasedASCII
    }
}

/// The field tracestate (W3C Trace Context §3.3).
enum TraceState {
    static let maxBytes = 512
    static let maxMembers = 32

    /// The members that are passed on, from the left as many as fit; nil when one of them is none, two have one key, or
    /// nothing is left.
    static func validated(_ text: String) -> String? {
        var members: [String] = []
        var keys: Set<String> = []
        for part in text.split(separator: ",") {
            let member = Array(part.utf8).trimmingASCIIBlanks()
            if member.isEmpty { continue }
            guard let equals = member.firstIndex(of: UInt8(ascii: "=")), isKey(member[..<equals]),
                isValue(member[(equals + 1)...]), members.count < maxMembers,
                keys.insert(String(decoding: member[..<equals], as: UTF8.self)).inserted
            else { return nil }
            members.append(String(decoding: member, as: UTF8.self))
        }
        var kept = ""
        for member in members {
            guard kept.utf8.count + member.utf8.count < maxBytes else { break }
            kept += kept.isEmpty ? member : "," + member
        }
        return kept.isEmpty ? nil : kept
    }

    private static let lowerAlphanumerics = ASCIISet.digits.union(.lowercase)

    /// Up to 256 lower-case letters, digits and `_-*/`, with one `@` at most, a letter or a digit first.
    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, lowerAlphanumerics.contains(first), bytes.count <= 256 else { return false }
        return bytes.count { $0 == UInt8(ascii: "@") } <= 1
            && bytes.allSatisfy { lowerAlphanumerics.contains($0) || "_-*/@".utf8.contains($0) }
    }

    /// 1 to 256 printable characters without `,` and `=`; no blank at the end, which is cut off already.
    private static func isValue(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...256).contains(bytes.count)
            && bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }
}

#endif
