// Sets of ASCII bytes, decimal numbers and hexadecimal text, independent of locales.

/// A set of ASCII bytes, as a 128-bit mask. Bytes from 0x80 on are in no set.
package struct ASCIISet: Hashable, Sendable {
    @usableFromInline let low: UInt64  // bits of the bytes 0...63
    @usableFromInline let high: UInt64  // bits of the bytes 64...127

    /// The set of the bytes of `characters`; bytes outside ASCII are ignored.
    package init(_ characters: some Sequence<UInt8>) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        for byte in characters {
            if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
        }
        self.init(low: low, high: high)
    }

    @inlinable
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// The union: the bytes that are in at least one of the two sets.
    @inlinable
    package func union(_ other: Self) -> Self { Self(low: low | other.low, high: high | other.high) }

    /// The union of this set and the bytes of `characters`.
    package func union(_ characters: StaticString) -> Self { union(Self("\(characters)".utf8)) }

    @inlinable
    package func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
    }

    /// `0...9`.
    package static let digits = Self(UInt8(ascii: "0")...UInt8(ascii: "9"))
    /// `a...z`.
    package static let lowercase = Self(UInt8(ascii: "a")...UInt8(ascii: "z"))
    /// `A...Z`.
    package static let uppercase = Self(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    /// Letters and digits.
    package static let alphanumerics = digits.union(lowercase).union(uppercase)
    /// The unreserved characters of a URI (RFC 3986, section 2.3).
    package static let unreserved = alphanumerics.union("-._~")
    /// The characters of a path segment that need no escape (`pchar`, RFC 3986, section 3.3).
    package static let pathSegment = unreserved.union("!$&'()*+,;=:@")
}

extension UInt8 {
    /// True for `0...9`.
    @inlinable
    package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// True for `a...z` and `A...Z`.
    @inlinable
    package var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// True for letters and digits.
    @inlinable
    package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

    /// True for space and tab, the optional whitespace of HTTP (`OWS`, RFC 9110, section 5.6.3).
    @inlinable
    package var isASCIIBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// True for 0 to 0x1F and 0x7F.
    @inlinable
    package var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// The value 0...9 of a decimal digit; nil for any other byte.
    @inlinable
    package var asciiDigitValue: Int? { isASCIIDigit ? Int(self &- UInt8(ascii: "0")) : nil }

    /// The value 0...15 of a hexadecimal digit in either case; nil for any other byte.
    @inlinable
    package var asciiHexValue: UInt8? {
        if isASCIIDigit { return self &- UInt8(ascii: "0") }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }

    /// The lowercase letter for `A...Z`; any other byte unchanged.
    @inlinable
    package var lowercasedASCII: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    /// The hexadecimal digit of a value 0...15.
    ///
    /// - Parameter ten: The digit of 10, `a` or `A`.
    @inlinable
    func hexadecimalDigit(ten: UInt8) -> UInt8 { self < 10 ? UInt8(ascii: "0") + self : ten - 10 + self }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without leading and trailing spaces and tabs.
    @inlinable
    package func trimmingASCIIBlanks() -> SubSequence {
        var trimmed = drop { $0.isASCIIBlank }
        while trimmed.last?.isASCIIBlank == true { trimmed.removeLast() }
        return trimmed
    }
}

extension Int {
    /// Parses ASCII digits; nil for an empty collection, any other byte, and on overflow.
    @inlinable
    package init?(asciiDigits digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var value = 0
        for byte in digits {
            guard let digit = byte.asciiDigitValue else { return nil }
            let (tens, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, overSum) = tens.addingReportingOverflow(digit)
            guard !over, !overSum else { return nil }
            value = sum
        }
        self = value
    }
}

extension String {
    /// Creates text of two lowercase hexadecimal digits per byte.
    @inlinable
    package init(hexadecimal bytes: some Sequence<UInt8>) {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append((byte >> 4).hexadecimalDigit(ten: UInt8(ascii: "a")))
            digits.append((byte & 15).hexadecimalDigit(ten: UInt8(ascii: "a")))
        }
        self.init(decoding: digits, as: UTF8.self)
    }
}
