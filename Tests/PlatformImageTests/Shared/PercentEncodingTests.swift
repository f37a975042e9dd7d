import Foundation
import Testing

@testable import PlatformImage

@Suite struct PercentEncodingTests {
    @Test func charactersOutsideTheAllowedSetAreEscaped() {
        let table: [(text: String, allowed: ASCIISet, encoded: String)] = [
            ("", .unreserved, ""), ("a-z.A_Z~09", .unreserved, "a-z.A_Z~09"), ("a b/c", .unreserved, "a%20b%2Fc"),
            ("a b/c", .pathSegment.union("/"), "a%20b/c"), ("100%", .unreserved, "100%25"),
            ("\u{E9}", .unreserved, "%C3%A9"),
            ("%41", .unreserved, "%2541"),
        ]
        for (text, allowed, encoded) in table {
            #expect(PercentEncoding.encode(text, allowed: allowed) == encoded)
            #expect(PercentEncoding.decode(Array(encoded.utf8)) == Array(text.utf8))
        }
    }

    @Test func keepsEscapesOptionPreservesValidEscapes() {
        let table = [("%41%4", "%41%254"), ("%", "%25"), ("%g0%0g%aF", "%25g0%250g%aF"), ("a%20 ", "a%20%20")]
        for (text, encoded) in table {
            let bytes = PercentEncoding.encode(Array(text.utf8), allowed: .unreserved, keepsEscapes: true)
            #expect(String(decoding: bytes, as: UTF8.self) == encoded)
        }
    }

    @Test func invalidEscapesAreDecodedLiterally() {
        let table = [("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("%%41", "%A"), ("%2541", "%41"), ("%+5", "%+5")]
        for (text, decoded) in table { #expect(PercentEncoding.decode(text.utf8) == Array(decoded.utf8), "\(text)") }
    }

    @Test func percentEncodingOfEveryByteRoundTripsAndMatchesFoundation() {
        for byte in UInt8.min ... .max {
            let encoded = PercentEncoding.encode([byte], allowed: .unreserved)
            #expect(PercentEncoding.decode(encoded[...]) == [byte])
            guard byte < 128 else { continue }
            let text = String(Unicode.Scalar(byte))
            let allowed = CharacterSet(
                charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
            #expect(
                String(decoding: encoded, as: UTF8.self) == text.addingPercentEncoding(withAllowedCharacters: allowed))
        }
    }
}
