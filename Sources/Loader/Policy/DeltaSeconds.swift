import PlatformImage

/// Non-negative seconds in header fields (delta-seconds, RFC 9111 §1.2.2).
enum DeltaSeconds {
    /// The value that larger numbers are clamped to: 2^31, about 68 years.
    static let max: Int64 = 1 << 31

    /// Returns the number, clamped to ``max``; nil for anything but one or more decimal digits.
    static func parse(_ bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in bytes {
            guard let digit = byte.asciiDigitValue else { return nil }
            number = min(number &* 10 &+ Int64(clamping: digit), max)
        }
        return number
    }
}

extension HeaderFields {
    /// Age in seconds stated by the last cache on the path (RFC 9111 §5.1); nil without `Age` or when its first member
    /// is not a number.
    var age: Int64? {
        guard let value = self["Age"] else { return nil }
        return DeltaSeconds.parse(value.prefix { $0 != 0x2C }.trimmingASCIIBlanks())
    }

    /// Returns the lowercase members of all lines of a token list field, without empty ones (RFC 9110 §5.6.1).
    func tokens(of name: String) -> [String] {
        var tokens: [String] = []
        for line in lines where line.isNamed(name) {
            for member in line.value.split(separator: 0x2C) {
                let token = member.trimmingASCIIBlanks()
                if !token.isEmpty { tokens.append(String(decoding: token.map(\.lowercasedASCII), as: UTF8.self)) }
            }
        }
        return tokens
    }
}
