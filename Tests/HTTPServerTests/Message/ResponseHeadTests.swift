import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

@Suite struct ResponseHeadTests {
    private static func text(
        _ response: Response, _ length: ResponseHead.Length, _ persistence: ResponseHead.Persistence
    )
        -> String
    {
        var head = ResponseHead(serverName: "test")
        head.updateDate(now: 0) { 784_111_777_000_000_000 }
        var bytes: [UInt8] = []
        head.append(
            status: response.status, response.fields, response.ownFields, length, persistence, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(.requirement("HS21")) func headHasStatusDateServerFieldsLengthAndEnd() {
        var response = Response(status: 200)
        response.fields.append(FieldName("ETag"), "\"a\"")
        response.ownFields.append(FieldName("Age"), 5)

        #expect(
            Self.text(response, .bytes(1_234_567), .http11)
                == "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: test\r\nETag: \"a\"\r\nAge: 5\r\n"
                + "Content-Length: 1234567\r\n\r\n")
        #expect(
            Self.text(response, .chunked, .close).hasSuffix("Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"))
        #expect(Self.text(response, .none, .keepAlive10).hasSuffix("Age: 5\r\nConnection: keep-alive\r\n\r\n"))
        #expect(Self.text(response, .bytes(0), .http11).hasSuffix("Content-Length: 0\r\n\r\n"))
    }

    @Test(.requirement("HS21"), arguments: [-1, 0, 99, 100, 199, 600, Int.max, Int.min])
    func statusOutsideOf200To599IsSentAs500(_ status: Int) {
        #expect(Self.text(Response(status: status), .none, .http11).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test(.requirement("HS23"), arguments: ["a\r\nX: b", "a\nb", "a\0b", "a\u{7F}b", "a\u{1}\u{1F}b"])
    func controlBytesOfAValueAreReplacedBySpaces(_ value: String) {
        var block = FieldBlock()
        block.append(FieldName("X-A"), value)

        #expect(block.bytes.filter(\.isControl) == [13, 10])
        #expect(block.bytes.count == value.utf8.count + 7)
    }

    /// Compared with the date formatter of Foundation.
    @Test(.requirement("HS26")) func dateIsTheDateOfItsSecondInTheFormOfHTTP() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var random = SplitMix(seed: 9)
        var times = (0..<2_000).map { _ in Int64.random(in: 0...253_402_300_799, using: &random) }
        times += [0, 951_782_399, 951_782_400, 4_107_542_400, 253_402_300_799]
        for seconds in times {
            var bytes: [UInt8] = []
            DateField.append(seconds, to: &bytes)
            let expected = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
        }
    }

    @Test(.requirement("HS26")) func dateIsRenderedOncePerSecondOfTheWallClock() {
        var date = DateField()
        var calls = 0
        func update(_ now: UInt64, _ nanoseconds: Int64) -> String {
            date.update(now: now) {
                calls += 1
                return nanoseconds
            }
            return String(decoding: date.bytes, as: UTF8.self)
        }

        let first = update(5_000, 10_300_000_000)
        #expect(update(5_699, 10_999_000_000) == first)
        #expect(calls == 1)
        #expect(update(5_700, 11_000_000_000) != first)
        #expect(calls == 2)
        _ = update(6_699, .min)
        _ = update(.max, .max)
    }

    @Test func decimalNumbersAreThoseOfTheStandardLibrary() {
        for value in [0, 1, 9, 10, 99, 100, 2_848, 1 << 40, .max, -1, .min] {
            var bytes: [UInt8] = []
            bytes.append(decimal: value)
            #expect(String(decoding: bytes, as: UTF8.self) == "\(value)")
        }
    }
}
