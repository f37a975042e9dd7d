import Foundation
import PlatformImageLoader
import Logging
import PlatformImageTestSupport
import Testing

@testable import PlatformImageToolSupport

/// The log of `imagetool serve`.
@Suite struct JSONLogTests {
    @Test(.requirement("SV22")) func logLineIsOneLineOfPrintableASCII() throws {
        var text = String(String.UnicodeScalarView((0...0x2FF).compactMap { Unicode.Scalar($0) }))
        text += "\u{2028}\u{2029}\u{202E}\u{FEFF}\u{1F600}\"}\n{\"level\":\"info\"}"

        let line = JSONLogHandler.line(
            WallTime(milliseconds: 0), .warning, text,
            [text: "\(text)", "list": ["\(text)", "b"], "map": ["k": "\(text)"]])

        #expect(line.hasSuffix("}\n"))
        #expect(line.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(read["message"] as? String == text)
        #expect(read[text] as? String == text)
        #expect(read["list"] as? [String] == [text, "b"])
        #expect(read["map"] as? [String: String] == ["k": text])
        #expect(read["level"] as? String == "warning")
        #expect(read["time"] as? String == "1970-01-01T00:00:00.000Z")
    }

    @Test func numbersAndBooleansInMetadataAreWrittenAsJSONValues() {
        let metadata: Logger.Metadata = [
            "a": .stringConvertible(3), "b": .stringConvertible(2.5), "c": .stringConvertible(true), "d": "4",
            "e": .stringConvertible(Double.infinity), "f": .stringConvertible(UInt64.max),
        ]
        let line = JSONLogHandler.line(WallTime(milliseconds: 0), .info, "m", metadata)
        #expect(line.hasSuffix("\"a\":3,\"b\":2.5,\"c\":true,\"d\":\"4\",\"e\":\"inf\",\"f\":18446744073709551615}\n"))
    }

    @Test func logTimestampsMatchFoundation() {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Compares times in steps of about 37 days, over three centuries with their leap years.
        for step in -1_500..<1_500 {
            let milliseconds = Int64(step) * 3_234_567_891
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            let whole = Date(timeIntervalSince1970: (Double(milliseconds) / 1_000).rounded(.down))
            let text = LogTime.text(WallTime(milliseconds: milliseconds))
            #expect(text.prefix(19) == whole.formatted(format).prefix(19), "\(date)")
            #expect(text.suffix(5) == ".\(String(((milliseconds % 1_000) + 1_000) % 1_000 + 1_000).dropFirst())Z")
        }
    }

    @Test func logLinesAreWrittenInOrderAndDroppedLinesAreCounted() throws {
        let pipe = Pipe()
        let lines = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, maxBytes: 100)
        lines.append(String(repeating: "x", count: 101))
        lines.flush()
        lines.append("a\n")
        lines.append("b\n")
        lines.flush()
        try pipe.fileHandleForWriting.close()

        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text == "{\"level\":\"warning\",\"message\":\"log lines were dropped\",\"count\":1}\na\nb\n")
    }
}
