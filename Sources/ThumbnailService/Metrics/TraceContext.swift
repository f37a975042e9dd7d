import PlatformImage

/// Trace context that a client sent (W3C Trace Context).
struct TraceContext: Hashable, Sendable {
    /// 32 lower-case hexadecimal digits, not all of them 0.
    let traceID: String
    /// Span identifier of the sender: 16 lower-case hexadecimal digits, not all of them 0.
    let parentID: String
    /// The defined flags: sampled (1) and random (2).
    let flags: UInt8
    /// Vendor data of `tracestate`, at most 512 bytes of complete members; nil when it is empty or invalid.
    let state: String?

    /// Parses the fields `traceparent` and `tracestate`; nil when `parent` is invalid. An invalid `state` is ignored.
    init?(parent: String, state: String?) {
        let bytes = Array(parent.utf8)
        // Later versions may append parts to the format of version 00; version ff is invalid.
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

    /// Returns `traceparent` and `tracestate` for an outgoing request with a new span.
    ///
    /// - Parameter spanID: Span identifier, not 0.
    func fields(spanID: UInt64 = .random(in: 1 ... .max)) -> [(name: String, value: String)] {
        var fields = [(name: "traceparent", value: "00-\(traceID)-\(Hexadecimal.text(spanID))-0\(flags)")]
        if let state { fields.append((name: "tracestate", value: state)) }
        return fields
    }

    private static func isLowerHexadecimalDigit(_ byte: UInt8) -> Bool {
        byte.asciiHexValue != nil && byte == byte.lowercasedASCII
    }
}

/// Validation of the field `tracestate` (W3C Trace Context §3.3).
enum TraceState {
    static let maxBytes = 512
    static let maxMembers = 32

    /// Returns the members to forward: from the left, as many complete members as fit into ``maxBytes``. Nil when a
    /// member is invalid, when a key is repeated, when there are more than ``maxMembers`` members, and when no member
    /// remains.
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
        var forwarded = ""
        for member in members {
            let addition = forwarded.isEmpty ? member : "," + member
            guard forwarded.utf8.count + addition.utf8.count <= maxBytes else { break }
            forwarded += addition
        }
        return forwarded.isEmpty ? nil : forwarded
    }

    private static let lowerAlphanumerics = ASCIISet.digits.union(.lowercase)

    /// Returns true for 1 to 256 lower-case letters, digits and `_-*/` with at most one `@`, beginning with a letter or
    /// a digit.
    private static func isKey(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, lowerAlphanumerics.contains(first), bytes.count <= 256 else { return false }
        return bytes.count { $0 == UInt8(ascii: "@") } <= 1
            && bytes.allSatisfy { lowerAlphanumerics.contains($0) || "_-*/@".utf8.contains($0) }
    }

    /// Returns true for 1 to 256 printable characters without `,` and `=`. Trailing blanks were removed before.
    private static func isValue(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...256).contains(bytes.count)
            && bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }
}
