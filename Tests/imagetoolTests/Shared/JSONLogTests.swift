import Foundation
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService
@testable import PlatformImageToolSupport

/// The log of `imagetool serve`.
@Suite struct JSONLogTests {
    @Test(.requirement("SV22")) func logLineIsOneLineOfPrintableASCII() throws {
        var text = String(String.UnicodeScalarView((0...0x2FF).compactMap { Unicode.Scalar($0) }))
        text += "\u{2028}\u{2029}\u{202E}\u{FEFF}\u{1F600}\"}\n{\"level\":\"info\"}"

        let line = Self.line(.warning, text, [(text, .text(text)), ("list", .list([text, "b"]))])

        #expect(line.hasSuffix("}\n"))
        #expect(line.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(read["message"] as? String == text)
        #expect(read[text] as? String == text)
        #expect(read["list"] as? [String] == [text, "b"])
        #expect(read["level"] as? String == "warning")
        #expect(read["time"] as? String == "1970-01-01T00:00:00.000Z")
    }

    @Test func fieldsAreSortedByNameAndNumbersAreWrittenAsJSONValues() {
        let fields: [(name: String, value: ServiceLog.Value)] = [
            ("source_width", .integer(3)), ("source_height", .integer(.min)), ("z", .list([])),
            ("source_host", .text("4")),
            ("ab", .number(2.5)), ("source", .number(.infinity)), ("a", .number(1e-5)), ("é", .integer(0)),
            ("source_bytes", .number(-0.125)), ("A", .list(["a", "\""])),
        ]
        #expect(
            Self.line(.notice, "m", fields) == #"""
                {"time":"1970-01-01T00:00:00.000Z","level":"notice","message":"m","A":["a","\""],"a":1e-05,"ab":2.5,\#
                "source":"inf","source_bytes":-0.125,"source_height":-9223372036854775808,"source_host":"4",\#
                "source_width":3,"z":[],"\u00e9":0}

                """#)
        #expect(
            Self.line(.debug, "", []) == #"{"time":"1970-01-01T00:00:00.000Z","level":"debug","message":""}"# + "\n")
    }

    @Test func logTimestampsMatchFoundation() {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Compares times in steps of about 37 days, over three centuries with their leap years.
        for step in -1_500..<1_500 {
            let milliseconds = Int64(step) * 3_234_567_891
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            let whole = Date(timeIntervalSince1970: (Double(milliseconds) / 1_000).rounded(.down))
            var bytes: [UInt8] = []
            LogTime.append(WallTime(milliseconds: milliseconds), to: &bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.prefix(19) == whole.formatted(format).prefix(19), "\(date)")
            #expect(text.suffix(5) == ".\(String(((milliseconds % 1_000) + 1_000) % 1_000 + 1_000).dropFirst())Z")
        }
    }

    @Test func logLinesAreWrittenInOrderAndDroppedLinesAreCounted() throws {
        let pipe = Pipe()
        let lines = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, maxBytes: 100)
        lines.append([UInt8](repeating: 0x78, count: 101))
        lines.flush()
        lines.append(Array("a\n".utf8))
        lines.append(Array("b\n".utf8))
        lines.flush()
        try pipe.fileHandleForWriting.close()

        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text == "{\"level\":\"warning\",\"message\":\"log lines were dropped\",\"count\":1}\na\nb\n")
    }

    @Test func linesOfManyTasksAreWrittenWithoutAFlush() async throws {
        let pipe = Pipe()
        let log = JSONLog.log(
            level: .info, to: LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        let count = 2_000
        async let writers: Void = withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { log.write(.info, "line", [("number", .integer(number))]) }
            }
        }
        let text = await withCheckedContinuation { continuation in
            let output = pipe.fileHandleForReading
            Thread.detachNewThread {
                var bytes = Data()
                while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count { bytes += output.availableData }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
        await writers

        let numbers = text.matches(of: #/"message":"line","number":([0-9]+)}\n/#).compactMap { Int($0.1) }
        #expect(numbers.sorted() == Array(0..<count))
        try pipe.fileHandleForWriting.close()
    }

    @Test func entriesBelowTheLevelAreNotWritten() throws {
        let pipe = Pipe()
        let lines = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let log = JSONLog.log(level: .warning, to: lines)
        log.write(.info, "a")
        log.write(.warning, "b")
        log.write(.error, "c")
        lines.flush()
        try pipe.fileHandleForWriting.close()

        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.split(separator: "\n").map { $0.suffix(5) } == ["\"b\"}", "\"c\"}"].map { ":" + $0 })
    }

    /// The line of an entry at the beginning of 1970.
    private static func line(
        _ level: ServiceLog.Level, _ message: String, _ fields: [(name: String, value: ServiceLog.Value)]
    ) -> String {
        let entry = ServiceLog.Entry(level: level, message: message, fields: fields)
        return String(decoding: JSONLog.line(WallTime(milliseconds: 0), entry), as: UTF8.self)
    }
}
