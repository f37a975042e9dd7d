/// Bytes as text of 64 digits, with padding (RFC 4648 §4).
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The ASCII digits for `bytes`, on one line.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let count = (bytes.count + 2) / 3 * 4
        return [UInt8](unsafeUninitializedCapacity: count) { text, written in
            bytes.withUnsafeBufferPointer { bytes in
                digits.withUnsafeBufferPointer { digits in
                    var output = 0
                    var input = 0
                    while input + 2 < bytes.count {
                        let bits =
                            UInt32(bytes[input]) << 16 | UInt32(bytes[input + 1]) << 8 | UInt32(bytes[input + 2])
                        text[output] = digits[Int(bits >> 18)]
                        text[output + 1] = digits[Int(bits >> 12 & 63)]
                        text[output + 2] = digits[Int(bits >> 6 & 63)]
                        text[output + 3] = digits[Int(bits & 63)]
                        input += 3
                        output += 4
                    }
                    guard input < bytes.count else { return }
                    let isPair = input + 1 < bytes.count
                    let bits = UInt32(bytes[input]) << 16 | (isPair ? UInt32(bytes[input + 1]) << 8 : 0)
                    text[output] = digits[Int(bits >> 18)]
                    text[output + 1] = digits[Int(bits >> 12 & 63)]
                    text[output + 2] = isPair ? digits[Int(bits >> 6 & 63)] : UInt8(ascii: "=")
                    text[output + 3] = UInt8(ascii: "=")
                }
            }
            written = count
        }
    }
}
