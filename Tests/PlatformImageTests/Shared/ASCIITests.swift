import Testing

@testable import PlatformImage

@Suite struct ASCIITests {
    static let bytes = Array(UInt8.min ... .max)

    /// Compares every byte with the properties of `Character`.
    @Test func characterClassesMatchTheStandardLibrary() {
        for byte in Self.bytes {
            let character = Character(Unicode.Scalar(byte))
            let isASCII = byte < 128
            #expect(byte.isASCIIDigit == (isASCII && character.isNumber), "\(byte)")
            #expect(byte.isASCIILetter == (isASCII && character.isLetter), "\(byte)")
            #expect(byte.isASCIIAlphanumeric == (byte.isASCIIDigit || byte.isASCIILetter), "\(byte)")
            #expect(byte.isASCIIBlank == (character == " " || character == "\t"), "\(byte)")
            #expect(byte.isASCIIControl == (byte < 0x20 || byte == 0x7F), "\(byte)")
            #expect(byte.asciiDigitValue == (isASCII ? character.wholeNumberValue : nil), "\(byte)")
            #expect(byte.asciiHexValue == (isASCII ? character.hexDigitValue.map(UInt8.init) : nil), "\(byte)")
            #expect(byte.lowercasedASCII == (isASCII ? Array(character.lowercased().utf8)[0] : byte), "\(byte)")
        }
    }

    @Test func asciiSetContainsExactlyItsBytes() {
        for byte in Self.bytes {
            #expect(ASCIISet.digits.contains(byte) == byte.isASCIIDigit)
            #expect(ASCIISet.alphanumerics.contains(byte) == byte.isASCIIAlphanumeric)
            #expect(ASCIISet.unreserved.contains(byte) == (byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)))
            #expect(ASCIISet("a/\u{E9}".utf8).contains(byte) == "a/".utf8.contains(byte))
            #expect(!ASCIISet("".utf8).contains(byte))
        }
    }

    @Test func leadingAndTrailingBlanksAreTrimmed() {
        for (text, trimmed) in [(" \ta b\t ", "a b"), ("", ""), ("\t", ""), ("a", "a"), ("\na ", "\na")] {
            #expect(Array(text.utf8.trimmingASCIIBlanks()) == Array(trimmed.utf8), "\(text)")
        }
    }

    @Test func onlyASCIIDigitsOfANumberThatFitsInIntAreParsed() {
        let table: [(String, Int?)] = [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", nil), ("", nil), ("-1", nil),
            ("+1", nil), ("1 ", nil), ("\u{0661}", nil),
        ]
        for (text, number) in table { #expect(Int(asciiDigits: Array(text.utf8)) == number, "\(text)") }
    }

    @Test func hexadecimalTextHasTwoDigitsPerByte() {
        #expect(String(hexadecimal: [0, 9, 10, 0xAF, 255]) == "00090aafff")
        #expect(String(hexadecimal: []) == "")
    }
}
