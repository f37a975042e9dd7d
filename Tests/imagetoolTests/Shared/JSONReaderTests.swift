import Foundation
import Testing

@testable import PlatformImageToolSupport

/// The JSON parser: accepted and rejected documents (RFC 8259), and parsed values.
@Suite struct JSONReaderTests {
    private func read(_ bytes: [UInt8]) throws(JSONReader.Failure) -> JSON {
        var reader = JSONReader(bytes)
        return try reader.document()
    }

    private func read(_ text: String) throws(JSONReader.Failure) -> JSON { try read(Array(text.utf8)) }

    private func isJSON(_ bytes: [UInt8]) -> Bool { (try? read(bytes)) != nil }

    @Test func validJSONValuesAreParsed() throws {
        let rows = [
            ("null", "null"), ("true", "true"), ("false", "false"), ("[]", "[]"), ("{}", "{}"), ("\"\"", "\"\""),
            (" \t\r\n [ 1 ,\n2 ]\r\n ", "[1,2]"), ("[[],{},[[]]]", "[[],{},[[]]]"),
            ("{\"b\" : 1 , \"a\":[true,null]}", "{\"b\":1,\"a\":[true,null]}"),
            ("{\"\":{\"a\":{\"a\":0}}}", "{\"\":{\"a\":{\"a\":0}}}"),
            // Canonically equivalent but different names: é as one scalar and as two.
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
        ]
        for (text, expected) in rows { #expect(try read(text).text == expected, "\(text)") }
    }

    @Test func jsonNumbersKeepTheirExactDigits() throws {
        let numbers = [
            "0", "-0", "7", "-7", "10", "1234567890", "123456789012345678901234567890", "0.5", "-0.50", "1.000", "1e5",
            "1E5", "1e+5", "1e-5", "0e0", "-0.0e-0", "1.5E+007", "1e400", "1e-400", "9223372036854775808",
        ]
        for number in numbers {
            guard case .numeral(let kept) = try read(number) else {
                Issue.record("\(number)")
                continue
            }
            #expect(kept == number)
            #expect(try read("[\(number)]").text == "[\(number)]")
        }
    }

    @Test func invalidNumbersAreRejected() {
        let texts = [
            "-", "+1", "--1", "01", "-01", "00", ".5", "-.5", "1.", "1.e5", "1e", "1e+", "1e-", "1e5.5", "1e5e5",
            "1.5.5", "0x10", "1_000", "1,5", "NaN", "Infinity", "-Infinity", "1f", "\u{661}", "\u{FF11}", "1 2",
            "- 1",
        ]
        for text in texts {
            #expect(!isJSON(Array(text.utf8)), "\(text)")
            #expect(!isJSON(Array("[\(text)]".utf8)) || text == "1,5", "\(text)")
        }
    }

    @Test func escapeSequencesAreDecoded() throws {
        let rows: [(String, String)] = [
            (#"\"\\\/"#, "\"\\/"), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"), (#"\u0000"#, "\0"), (#"\u0041"#, "A"),
            (#"\u00e9\u00E9"#, "\u{E9}\u{E9}"), (#"\uFFFF\ud7ff\ue000"#, "\u{FFFF}\u{D7FF}\u{E000}"),
            (#"\ud800\udc00"#, "\u{10000}"), (#"\uDBFF\uDFFF"#, "\u{10FFFF}"), (#"\ud83d\ude00x"#, "\u{1F600}x"),
            (#"e\u0301"#, "e\u{301}"), (#"\\u0041"#, "\\u0041"), ("\u{7F}\u{80}\u{2028}", "\u{7F}\u{80}\u{2028}"),
            ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"),
        ]
        for (written, meant) in rows {
            let value = try read("\"\(written)\"").string
            // Compared by scalars, because canonically equivalent strings are equal.
            #expect(value.map { Array($0.unicodeScalars) } == Array(meant.unicodeScalars), "\(written)")
            #expect(try read("{\"\(written)\":1}")[meant]?.integer == 1, "\(written)")
        }
    }

    @Test func invalidEscapeSequencesAreRejected() {
        let texts = [
            #"\"#, #"\a"#, #"\'"#, #"\0"#, #"\x41"#, #"\U0041"#, #"\u"#, #"\u004"#, #"\u00g0"#, #"\u+041"#, #"\u 041"#,
            "\\u00\u{FF11}0", "\\\n", "\\\u{E9}", "a\nb", "\u{0}", "\u{1F}", "\t",
        ]
        for text in texts { #expect(!isJSON(Array("\"\(text)\"".utf8)), "\(text)") }
    }

    @Test func unpairedSurrogatesAreRejected() {
        let texts = [
            #"\ud800"#, #"\udbff"#, #"\udc00"#, #"\udfff"#, #"\ud800x"#, #"\ud800\n"#, #"\ud800\u0041"#,
            #"\ud800\ud800"#, #"\udc00\ud800"#, #"\ud800\ue000"#, #"\ud83d\u"#, #"\ud83d\ude0"#,
            #"\ud83d \ude00"#, #"\ud83d\\ude00"#,
        ]
        for text in texts { #expect(!isJSON(Array("\"\(text)\"".utf8)), "\(text)") }
    }

    /// RFC 3629: truncated and overlong sequences, surrogates, and values over U+10FFFF.
    @Test func invalidUTF8IsRejected() {
        let sequences: [[UInt8]] = [
            [0x80], [0xBF], [0xC2], [0xC3, 0x28], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ]
        for bytes in sequences {
            let quoted = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
            #expect(!isJSON(quoted), "\(bytes)")
            #expect(!isJSON(Array("{".utf8) + quoted + Array(":1}".utf8)), "\(bytes)")
            #expect(!isJSON(bytes), "\(bytes)")
            #expect(!isJSON(Array("1".utf8) + bytes), "\(bytes)")
        }
        // A byte order mark is not white space (RFC 8259 §8.1).
        #expect(!isJSON([0xEF, 0xBB, 0xBF] + Array("1".utf8)))
    }

    @Test func invalidDocumentsAreRejected() {
        let texts = [
            "", " ", "\n", "nul", "nulll", "True", "TRUE", "tru", "t", "undefined", "'a'", "a", "]", "}", ":", ",", "[",
            "{", "[1", "[1,", "[,]", "[1,]", "[,1]", "[1 2]", "[1}", "{]", "{,}", "{\"a\"}", "{\"a\":}",
            "{\"a\":1,}", "{\"a\",1}", "{\"a\":1 \"b\":2}", "{a:1}", "{1:1}", "{null:1}", "{'a':1}", "{\"a\":1]",
            "{\"a\"::1}", "\"", "\"a", "[\"a]", "// a\n1", "/* a */1", "1//", "\u{A0}1", "\u{C}1", "\u{B}1", "\0",
            "1\0",
        ]
        for text in texts { #expect(!isJSON(Array(text.utf8)), "\(text)") }
    }

    @Test func textAfterAValueIsRejected() {
        for value in ["1", "\"a\"", "[]", "{}", "true", "null", "[1]", "{\"a\":1}"] {
            for rest in [" 1", "x", ",", "]", "}", "[]", "\"a\"", " null", "\u{FEFF}", "\0"] {
                #expect(!isJSON(Array((value + rest).utf8)), "\(value)\(rest)")
            }
            #expect(isJSON(Array((" " + value + " \t\r\n").utf8)), "\(value)")
        }
    }

    @Test func duplicateNamesInAnObjectAreRejected() {
        for text in [
            "{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":1,\"\\u0061\":2}", "[{\"\":1,\"\":2}]",
            "{\"x\":{\"a\":1,\"a\":2}}",
        ] {
            #expect(!isJSON(Array(text.utf8)), "\(text)")
        }
        #expect(isJSON(Array("{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":2}]}".utf8)))
    }

    private static let document =
        #"{"a":[1,-2.5e+3,true,false,null,"\u00e9\ud83d\ude00\n é"],"b":{"c":{}},"d":[[],[0]],"":"\\"}"#

    @Test func everyTruncatedDocumentIsRejected() {
        let bytes = Array(Self.document.utf8)
        #expect(isJSON(bytes))
        for count in bytes.indices { #expect(!isJSON(Array(bytes.prefix(count))), "\(count)") }
    }

    /// Compares the reader with `JSONSerialization`. `JSONSerialization` accepts duplicate names; no change in this
    /// test creates one.
    @Test func documentWithAChangedByteIsAcceptedIfAndOnlyIfFoundationAcceptsIt() {
        let bytes = Array(Self.document.utf8)
        let others = Array("\"\\{}[]:,-+.eEtun019 \n\u{1F}\0x".utf8) + [0x80, 0xC3, 0xFF]
        var accepted = 0
        for index in bytes.indices {
            for byte in others where byte != bytes[index] {
                var changed = bytes
                changed[index] = byte
                let other = try? JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed)
                #expect(isJSON(changed) == (other != nil), "\(String(decoding: changed, as: UTF8.self))")
                if other != nil { accepted += 1 }
            }
        }
        // Some changes keep the document valid, most do not.
        #expect((100..<1000).contains(accepted))
    }

    @Test func nestingOverTheDepthLimitIsRejected() throws {
        func nested(_ depth: Int, _ open: String, _ close: String, _ inner: String = "") -> String {
            String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
        }
        let most = JSONReader.maxDepth
        for (open, close, inner) in [("[", "]", ""), ("[", "]", "1"), ("{\"a\":", "}", "1"), ("[{\"a\":", "}]", "1")] {
            let levels = open.hasPrefix("[{") ? 2 : 1
            #expect(try read(nested(most / levels, open, close, inner)).text.count > most)
            #expect(throws: JSONReader.Failure.self) { try read(nested(most / levels + 1, open, close, inner)) }
        }
        // Siblings do not add to the depth.
        let deep = nested(most - 1, "[", "]")
        #expect(try read("[\(deep),\(deep)]").array?.count == 2)
        #expect(!isJSON([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)))
    }

    @Test func parseErrorContainsTheByteOffset() {
        let rows = [
            ("", 0), ("x", 0), ("  x", 2), ("1 x", 2), ("[1,]", 3), ("{\"a\" 1}", 5), ("\"ab", 3), ("[1 2]", 3),
            ("-", 1), ("tru", 0), ("\"\n\"", 1), ("\u{E9}", 0), ("\"\u{E9}\"x", 4),
        ]
        for (text, position) in rows {
            do {
                _ = try read(text)
                Issue.record("\(text)")
            } catch {
                #expect(error.message.hasPrefix("invalid JSON: "), "\(text)")
                #expect(error.message.hasSuffix(" at byte \(position)"), "\(text): \(error.message)")
            }
        }
    }

    @Test func topLevelMembersBeforeAParseErrorAreAvailable() {
        let rows: [(text: String, members: [String])] = [
            ("{\"a\":1,\"b\":[2],\"c\":{\"d\":4}}", ["a=1", "b=[2]", "c={\"d\":4}"]), ("{\"a\":1,\"b\":", ["a=1"]),
            ("{\"a\":{\"b\":2", []), ("{\"a\":{\"b\":2}", ["a={\"b\":2}"]), ("{\"a\":1}x", ["a=1"]),
            ("{\"a\":1,\"a\":2}", ["a=1"]), ("[{\"a\":1}]", []), ("1", []), ("", []), ("{\"a\":tru", []),
        ]
        for row in rows {
            var reader = JSONReader(Array(row.text.utf8))
            _ = try? reader.document()
            #expect(reader.outerMembers.map { "\($0.0)=\($0.1.text)" } == row.members, "\(row.text)")
        }
    }

    @Test func writtenJSONIsParsedToTheSameValue() throws {
        let scalars =
            (0...0x2FF).compactMap { Unicode.Scalar($0) } + ["\u{2028}", "\u{2029}", "\u{FEFF}", "\u{10FFFF}"]
        let text = String(String.UnicodeScalarView(scalars))
        let value = JSON.object([
            (text, .array([.string(text), .integer(.min), .integer(.max), .number(0.5), .bool(true), .null])),
            ("n", .numeral("1e400")),
        ])

        let read = try read(value.text)

        #expect(read.text == value.text)
        #expect(read[text]?.array?.first?.string?.unicodeScalars.elementsEqual(scalars) == true)
        #expect(read[text]?.array?[1].integer == .min)
        #expect(read[text]?.array?[2].integer == .max)
    }

    @Test func numbersConvertToIntegerOrDoubleWhenRepresentable() throws {
        let rows: [(text: String, integer: Int?, double: Double?)] = [
            ("0", 0, 0), ("-0", 0, 0), ("42", 42, 42), ("-42", -42, -42), ("1e3", 1000, 1000), ("1.0", 1, 1),
            ("15e-1", nil, 1.5), ("0.1", nil, 0.1), ("9223372036854775807", .max, 0x1p63),
            ("-9223372036854775808", .min, -0x1p63),
            ("9223372036854775808", nil, 0x1p63), ("1e18", 1_000_000_000_000_000_000, 1e18),
            ("1e19", nil, 1e19), ("1e308", nil, 1e308), ("1e400", nil, nil), ("-1e400", nil, nil), ("1e-400", 0, 0),
            ("\"1\"", nil, nil), ("true", nil, nil), ("null", nil, nil), ("[1]", nil, nil),
        ]
        for row in rows {
            let value = try read(row.text)
            #expect(value.integer == row.integer, "\(row.text)")
            #expect(value.double == row.double, "\(row.text)")
        }
    }

    @Test func accessorsForAnotherTypeThanTheValueReturnNil() throws {
        let values = try read("{\"s\":\"x\",\"t\":true,\"f\":false,\"n\":null,\"i\":1,\"a\":[1,2],\"o\":{}}")
        #expect(values["s"]?.string == "x" && values["s"]?.bool == nil && values["s"]?.array == nil)
        #expect(values["t"]?.bool == true && values["f"]?.bool == false && values["t"]?.integer == nil)
        #expect(values["i"]?.integer == 1 && values["i"]?.string == nil && values["i"]?.bool == nil)
        #expect(values["a"]?.array?.count == 2 && values["a"]?.string == nil)
        #expect(values["n"] == nil && values["missing"] == nil && values["o"]?["s"] == nil)
        #expect(values["a"]?["s"] == nil && values.array == nil && values.string == nil)
    }
}
