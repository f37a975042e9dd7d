import PlatformImage
import PlatformImageLoader

/// Normalized host of a URL. Normalization happens only here, so that policy, resolver and socket use the same host.
enum SourceHost: Hashable, Sendable, CustomStringConvertible {
    case address(IPAddress)
    /// A host name in lower case, without a trailing dot, with labels outside ASCII in Punycode (RFC 3492).
    case name(String)

    /// Parses the host of a URL; nil when it is invalid or ambiguous.
    ///
    /// All forms that `inet_aton` accepts are addresses, as in `getaddrinfo`: `127.1`, `0177.0.0.1`, `0x7f.1`,
    /// `2130706433`. Any other text is refused when its last label consists of digits, or of `0x` and hexadecimal
    /// digits, because resolvers differ in the treatment of such names.
    init?(_ text: String) {
        var rest = Array(text.utf8)
        if rest.first == UInt8(ascii: "[") {
            guard rest.last == UInt8(ascii: "]") else { return nil }
            guard let address = IPAddress(String(decoding: rest.dropFirst().dropLast(), as: UTF8.self)),
                case .v6 = address
            else { return nil }
            self = .address(address.unmapped)
            return
        }
        guard let ascii = HostName.ascii(rest) else { return nil }
        rest = ascii
        if rest.last == UInt8(ascii: ".") { rest.removeLast() }
        guard (1...253).contains(rest.count) else { return nil }
        let labels = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, labels.allSatisfy(Self.isLabel) else { return nil }
        if Self.isNumber(last) {
            guard let bits = Self.shortAddress(labels) else { return nil }
            self = .address(.v4(bits))
        } else {
            self = .name(String(decoding: rest.map(\.lowercasedASCII), as: UTF8.self))
        }
    }

    /// The host as it is written in a URL: IPv6 in brackets.
    var description: String {
        switch self {
        case .name(let name): name
        case .address(.v6(let bits)): "[\(IPAddress.v6(bits))]"
        case .address(let address): "\(address)"
        }
    }

    /// Returns true for 1...63 letters, digits, `-` and `_`, without `-` at the ends (RFC 1123 §2.1). The underscore is
    /// not in the RFC, but many host names contain it.
    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard (1...63).contains(label.count), label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-") else {
            return false
        }
        return label.allSatisfy { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }

    /// Returns true for a label that a resolver may parse as a number: digits only, or `0x` with any number of
    /// hexadecimal digits.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy(\.isASCIIDigit) { return true }
        guard label.count >= 2, label.first == 0x30, label.dropFirst().first.map({ $0 | 0x20 }) == 0x78 else {
            return false
        }
        return label.dropFirst(2).allSatisfy { $0.asciiHexValue != nil }
    }

    /// Parses one to four numbers, of which the last fills the remaining bytes (`inet_aton`).
    private static func shortAddress(_ labels: [ArraySlice<UInt8>]) -> UInt32? {
        let numbers = labels.compactMap(number)
        guard numbers.count == labels.count, (1...4).contains(numbers.count), let last = numbers.last else {
            return nil
        }
        var bits: UInt64 = 0
        for number in numbers.dropLast() {
            guard number <= 0xFF else { return nil }
            bits = bits << 8 | number
        }
        let remainingBits = UInt64(5 - numbers.count) * 8
        guard last < 1 << remainingBits else { return nil }
        return UInt32(bits << remainingBits | last)
    }

    /// Parses a decimal, octal (`0`) or hexadecimal (`0x`) number below 2³².
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        let (digits, base): (ArraySlice<UInt8>, UInt64) =
            if label.first == 0x30, label.dropFirst().first.map({ $0 | 0x20 }) == 0x78 {
                (label.dropFirst(2), 16)
            } else if label.first == 0x30, label.count > 1 {
                (label.dropFirst(), 8)
            } else {
                (label, 10)
            }
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = byte.asciiHexValue.map(UInt64.init), digit < base else { return nil }
            value = value * base + digit
            guard value <= UInt64(UInt32.max) else { return nil }
        }
        return value
    }
}
