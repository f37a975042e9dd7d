/// Percent-encoding of bytes in URIs (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Replaces each byte that is not `allowed` by `%` and two uppercase hexadecimal digits.
    ///
    /// - Parameters:
    ///   - allowed: The bytes that are not encoded.
    ///   - keepsEscapes: When true, a `%` followed by two hexadecimal digits is not encoded, although `%` is not
    ///     allowed.
    @inlinable
    package static func encode(
        _ bytes: some Collection<UInt8>, allowed: ASCIISet, keepsEscapes: Bool = false
    ) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            if allowed.contains(byte) || (keepsEscapes && escapedByte(in: bytes, at: index) != nil) {
                encoded.append(byte)
            } else {
                append(escapeOf: byte, to: &encoded)
            }
        }
        return encoded
    }

    /// Replaces each UTF-8 byte of the text that is not `allowed` by `%` and two uppercase hexadecimal digits.
    @inlinable
    package static func encode(_ text: String, allowed: ASCIISet) -> String {
        String(decoding: encode(text.utf8, allowed: allowed), as: UTF8.self)
    }

    /// Replaces each escape by its byte; the result is not decoded again. A `%` without two hexadecimal digits is
    /// copied unchanged.
    @inlinable
    package static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if let byte = escapedByte(in: bytes, at: index) {
                decoded.append(byte)
                index = bytes.index(index, offsetBy: 3)
            } else {
                decoded.append(bytes[index])
                index = bytes.index(after: index)
            }
        }
        return decoded
    }

    /// The byte of the escape that starts at `index`; nil when no escape starts there.
    @inlinable
    package static func escapedByte<Bytes: Collection<UInt8>>(in bytes: Bytes, at index: Bytes.Index) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%") else { return nil }
        let digits = bytes[index...].dropFirst().prefix(2)
        guard digits.count == 2, let high = digits.first?.asciiHexValue,
            let low = digits.dropFirst().first?.asciiHexValue
        else { return nil }
        return high << 4 | low
    }

    /// Appends `%` and two uppercase hexadecimal digits.
    @inlinable
    package static func append(escapeOf byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append((byte >> 4).hexadecimalDigit(ten: UInt8(ascii: "A")))
        bytes.append((byte & 15).hexadecimalDigit(ten: UInt8(ascii: "A")))
    }
}
