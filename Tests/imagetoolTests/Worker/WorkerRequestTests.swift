import Foundation
import PlatformImageTestSupport
import PlatformImageToolSupport
import Testing

/// Valid and invalid requests of `imagetool worker`.
@Suite(.timeLimit(.minutes(30))) struct WorkerRequestTests {
    private let inline = "{\"id\":1,\"op\":\"thumb\",\"bytes\":\(smallBitmap.count),\"ops\":\"1\"}\n"

    private func run(_ input: [UInt8], _ arguments: String...) throws -> [WorkerAnswerLine] {
        let run = try ToolRun(["worker", "--isolation", "off"] + arguments, input: input)
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
        return try WorkerAnswerLine.all(run.output)
    }

    /// A request with these members after `"id":5`.
    static func line(_ members: String) -> String { "{\"id\":5,\(members)}" }

    static let invalid: [(line: String, id: String)] = [
        ("nonsense", "null"), ("{", "null"), ("[]", "null"), ("3", "null"), ("\"x\"", "null"),
        ("{\"op\":\"info\",\"path\":\"a\"}", "null"), ("{\"id\":null,\"op\":\"info\",\"path\":\"a\"}", "null"),
        ("{\"id\":[1],\"op\":\"info\",\"path\":\"a\"}", "null"), ("{\"id\":5,\"op\":\"in", "5"),
        ("{\"id\":5,\"id\":6,\"op\":\"info\",\"path\":\"a\"}", "5"),
        (line("\"op\":\"info\",\"path\":\"a\"") + "x", "5"),
        (line("\"path\":\"a\""), "5"), (line("\"op\":4,\"path\":\"a\""), "5"),
        (line("\"op\":\"convert\",\"path\":\"a\""), "5"), (line("\"op\":\"info\""), "5"),
        (line("\"op\":\"info\",\"path\":3"), "5"), (line("\"op\":\"info\",\"path\":\"\""), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"bytes\":0"), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"url\":\"http://a/\""), "5"),
        (line("\"op\":\"info\",\"bytes\":-1"), "5"), (line("\"op\":\"info\",\"bytes\":1.5"), "5"),
        (line("\"op\":\"info\",\"bytes\":\"1\""), "5"), (line("\"op\":\"info\",\"bytes\":1e400"), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"pathh\":1"), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"ops\":\"1\""), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"format\":\"png\""), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"output\":\"b\""), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"options\":{\"fit\":\"cover\"}"), "5"),
        (line("\"op\":\"decode\",\"path\":\"a\",\"ops\":\"1\""), "5"),
        (line("\"op\":\"decode\",\"path\":\"a\",\"format\":\"jpeg\""), "5"),
        (line("\"op\":\"decode\",\"path\":\"a\",\"options\":{\"fit\":\"cover\"}"), "5"),
        (line("\"op\":\"decode\",\"path\":\"a\",\"options\":{\"frame\":-1}"), "5"),
        (line("\"op\":\"decode\",\"path\":\"a\",\"options\":{\"strict\":1}"), "5"),
        (line("\"op\":\"decode\",\"path\":\"a\",\"format\":\"png\",\"options\":{\"premultiplied\":true}"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\""), "5"), (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":9"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"0\""), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":[]"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":{\"size\":\"3\"}"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":{\"quality\":0}"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":{\"quality\":\"5\"}"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":{\"fit\":\"--help\"}"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":{\"linear\":\"yes\"}"), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"options\":{\"frame\":\"every\"}"), "5"),
        (
            line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"format\":\"jpeg\",\"options\":{\"frame\":\"all\"}"),
            "5"
        ),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"format\":\"avif\""), "5"),
        (line("\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"9\",\"output\":\"\""), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"deadlineMs\":0"), "5"),
        (line("\"op\":\"info\",\"path\":\"a\",\"deadlineMs\":86400001"), "5"),
    ]

    @Test func invalidLineHasAnErrorAnswerAndTheNextRequestIsAnswered() throws {
        let valid = Array(inline.utf8) + smallBitmap
        let lines = Self.invalid.map { Array(($0.line + "\n").utf8) }
        let answers = try run(Array((lines.map { $0 + valid }).joined()), "--ordered")

        try #require(answers.count == 2 * lines.count)
        for (number, (line, id)) in Self.invalid.enumerated() {
            let answer = answers[2 * number]
            #expect(answer.status == "failed" && answer.code == "invalidRequest" && answer.id == id, "\(line)")
            #expect(answer.json["error"]?.string?.hasPrefix("invalidRequest: ") == true, "\(line)")
            #expect(answers[2 * number + 1].status == "complete", "\(line)")
        }
    }

    @Test func lineOverTheLimitHasAnErrorAnswerAndIsDiscarded() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20) + Array("\n".utf8)
        let answers = try run(long + Array(inline.utf8) + smallBitmap + long, "--ordered")

        #expect(answers.map(\.code) == ["lineTooLong", nil, "lineTooLong"])
        #expect(answers.map(\.id) == ["null", "1", "null"])
    }

    @Test func emptyLinesAndCarriageReturnsAreIgnored() throws {
        let answers = try run(Array(("\n\r\n  \n" + inline.dropLast() + "\r\n").utf8) + smallBitmap + [0x0A])
        #expect(answers.map(\.status) == ["complete"])
    }

    @Test func idIsReturnedUnchanged() throws {
        let ids = [
            "1", "-0", "0.5", "1e400", "123456789012345678901234567890", "\"\"", "\"a\\\"b\\\\c\\n\"", "\"\u{E9}\"",
        ]
        let lines = ids.map { "{\"id\":\($0),\"op\":\"info\",\"path\":\"/missing\"}\n" }.joined()
        #expect(try run(Array(lines.utf8), "--ordered").map(\.id) == ids)
    }

    @Test func bytesOfARefusedRequestAreDiscarded() throws {
        // The discarded bytes are themselves a request.
        let count = inline.utf8.count + smallBitmap.count
        let refused = "{\"id\":2,\"op\":\"thumb\",\"bytes\":\(count),\"ops\":\"x\"}\n"
        let valid = Array(inline.utf8) + smallBitmap
        let answers = try run(Array(refused.utf8) + valid + valid, "--ordered")

        #expect(answers.map(\.id) == ["2", "1"])
        #expect(answers.map(\.code) == ["invalidRequest", nil])
    }

    @Test func bytesOfALineThatIsNotValidJSONAreNotDiscarded() throws {
        for line in ["{\"id\":2,\"op\":\"info\",\"bytes\":30 x", "{\"bytes\":9000000000000000000"] {
            let answers = try run(Array((line + "\n" + inline).utf8) + smallBitmap, "--ordered")
            #expect(answers.map(\.code) == ["invalidRequest", nil], "\(line)")
        }
    }

    @Test func errorTextOfALongRequestIsCut() throws {
        let long = String(repeating: "\u{7F}", count: 200_000)
        let line = "{\"id\":2,\"op\":\"thumb\",\"path\":\"a\",\"ops\":\"\(long)\"}\n"
        let answers = try run(Array((line + inline).utf8) + smallBitmap, "--ordered")
        #expect(answers.map(\.code) == ["invalidRequest", nil])
        #expect(answers.first?.json["error"]?.string?.unicodeScalars.count == 500)
    }

    @Test func inlineBytesOverTheInputLimitAreDiscardedAndRefused() throws {
        let count = (1 << 30) + 1
        let folder = try TemporaryFolder()
        try folder.write(Array(inline.utf8) + smallBitmap, to: "next")
        let run = try ToolRun(
            shell: """
                { printf '%s\\n' '{"id":2,"op":"info","bytes":\(count)}'; head -c \(count) /dev/zero; \
                cat '\(folder.path("next"))'; } | "$TOOL" worker --isolation off
                """)
        let answers = try WorkerAnswerLine.all(run.output)

        #expect(answers.map(\.id) == ["2", "1"] && answers.map(\.code) == ["limitExceeded", nil])
    }

    @Test func everyCutOfTheInputEndsWithAnAnswerForTheLastRequest() throws {
        let bytes = Array(inline.utf8) + smallBitmap
        for count in 0...bytes.count {
            let answers = try run(Array(bytes.prefix(count)))
            let newline = inline.utf8.count - 1
            let expected: [String?] =
                switch count {
                case 0: []
                case ..<newline: ["invalidRequest"]
                case ..<bytes.count: ["inputTooShort"]
                default: [nil]
                }
            #expect(answers.map(\.code) == expected, "\(count) bytes")
        }
    }

    @Test func answersHaveTheOrderOfTheRequestsOnlyWithOrdered() throws {
        let requests = (0..<300).map { number in
            let path = number.isMultiple(of: 7) ? "/missing" : fixturePath("png/rgba8.png")
            return "{\"id\":\(number),\"op\":\"thumb\",\"path\":\"\(path)\",\"ops\":\"\(8 + number % 5)\"}\n"
        }
        let input = Array(requests.joined().utf8)
        let ordered = try run(input, "--ordered", "-j", "3")
        let unordered = try run(input, "-j", "3")

        #expect(ordered.map(\.id) == (0..<300).map(String.init))
        #expect(unordered.map(\.id).sorted() == ordered.map(\.id).sorted())
        for answer in unordered {
            let same = try #require(ordered.first { $0.id == answer.id })
            #expect(same.status == answer.status && same.body == answer.body, "\(answer.id)")
        }
    }
}
