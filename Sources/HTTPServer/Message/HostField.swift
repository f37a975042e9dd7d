/// Validation of `host` and `host:port`, as in the Host field and in absolute targets (RFC 9110 §7.2).
///
/// A host is an IPv6 address in brackets, or consists of letters, digits, `-`, `.` and `_`: host names contain no other
/// bytes, though the URI grammar allows more. A port is 0...65535 in at most five digits, or empty.
package enum HostField {
    static let maxBytes = 255

    /// True if a text is a valid `host` or `host:port`.
    package static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return isValid(bytes.span, 0..<bytes.count)
    }

    static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.count <= maxBytes else { return false }
        var index = range.lowerBound
        if bytes[index] == UInt8(ascii: "[") {
            var close = index + 1
            while close < range.upperBound, bytes[close] != UInt8(ascii: "]") { close += 1 }
            guard close < range.upperBound, isIPv6(bytes, index + 1..<close) else { return false }
            index = close + 1
        } else {
            while index < range.upperBound, isNameByte(bytes[index]) { index += 1 }
            guard index > range.lowerBound else { return false }
        }
        guard index < range.upperBound else { return true }
        guard bytes[index] == .colon else { return false }
        return isPort(bytes, index + 1..<range.upperBound)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }

    private static func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count <= 5 else { return false }
        var value = 0
        for index in range {
            guard bytes[index].isDigit else { return false }
            value = value * 10 + Int(bytes[index] - 0x30)
        }
        return value <= 65_535
    }

    /// True for the text form of an IPv6 address without a zone (RFC 4291 §2.2).
    private static func isIPv6(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var groups = 0
        var hasGap = false
        var index = range.lowerBound
        let end = range.upperBound
        if end - index >= 2, bytes[index] == .colon {
            guard bytes[index + 1] == .colon else { return false }
            hasGap = true
            index += 2
            if index == end { return true }
        }
        while index < end {
            let start = index
            while index < end, index - start < 4, bytes[index].hexadecimalValue != nil { index += 1 }
            if index < end, bytes[index] == UInt8(ascii: ".") {
                groups += 2
                return isIPv4(bytes, start..<end) && (hasGap ? groups < 8 : groups == 8)
            }
            guard index > start else { return false }
            groups += 1
            guard groups <= 8 else { return false }
            if index == end { break }
            guard bytes[index] == .colon else { return false }
            index += 1
            guard index < end else { return false }
            if bytes[index] == .colon {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// True for four decimal numbers below 256 without leading zeros.
    private static func isIPv4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var numbers = 0
        var index = range.lowerBound
        while true {
            let start = index
            var value = 0
            while index < range.upperBound, index - start < 3, bytes[index].isDigit {
                value = value * 10 + Int(bytes[index] - 0x30)
                index += 1
            }
            guard index > start, value < 256, index - start == 1 || bytes[start] != 0x30 else { return false }
            numbers += 1
            if index == range.upperBound { return numbers == 4 }
            guard numbers < 4, bytes[index] == UInt8(ascii: ".") else { return false }
            index += 1
        }
    }
}
