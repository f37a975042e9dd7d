import Foundation
import PlatformImageTestSupport
import PlatformImageToolSupport
import Testing

/// Results of `imagetool worker`, compared with those of the commands `thumb`, `decode` and `info`.
@Suite(.timeLimit(.minutes(30))) struct WorkerResultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func answers(_ lines: [String], _ arguments: String...) throws -> [WorkerAnswerLine] {
        let input = Array(lines.map { $0 + "\n" }.joined().utf8)
        let run = try ToolRun(["worker", "--ordered", "-j", "2"] + arguments, input: input)
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
        let answers = try WorkerAnswerLine.all(run.output)
        try #require(answers.count == lines.count)
        return answers
    }

    private func thumb(_ name: String, _ members: String) -> String {
        "{\"id\":1,\"op\":\"thumb\",\"path\":\"\(fixturePath(name))\",\(members)}"
    }

    static let thumbnails: [(file: String, members: String, arguments: [String])] = [
        ("demo/mountains.jpg", "\"ops\":\"64\"", ["-s", "64"]),
        ("demo/mountains.jpg", "\"ops\":\"40x30^\",\"format\":\"png\"", ["-s", "40x30^", "--format", "png"]),
        (
            "demo/window.png",
            "\"ops\":\"x50\",\"format\":\"jpeg\",\"options\":{\"quality\":40,\"background\":\"black\"}",
            ["-s", "x50", "--format", "jpeg", "--quality", "40", "--background", "black"]
        ),
        (
            "demo/mountains.jpg",
            "\"ops\":\"30x40!\",\"options\":{\"filter\":\"box\",\"linear\":true,\"no-rotate\":true,\"pad\":false}",
            ["-s", "30x40!", "--filter", "box", "--linear", "--no-rotate"]
        ),
        (
            "demo/mountains.jpg",
            "\"ops\":\"30\",\"options\":{\"gravity\":\"0.2,0.9\",\"fit\":\"cover\",\"accuracy\":\"exact\"}",
            ["-s", "30", "--gravity", "0.2,0.9", "--fit", "cover", "--accuracy", "exact"]
        ),
        ("demo/orbit.gif", "\"ops\":\"20\",\"options\":{\"frame\":2}", ["-s", "20", "--frame", "2"]),
        (
            "demo/orbit.gif", "\"ops\":\"20\",\"options\":{\"frame\":\"all\"}",
            ["-s", "20", "--frame", "all", "--format", "auto"]
        ),
        ("gif/truncated-after-7-rows.gif", "\"ops\":\"9\"", ["-s", "9"]),
        ("png/bad-crc-idat.png", "\"ops\":\"9\"", ["-s", "9"]),
    ]

    @Test(arguments: [["--isolation", "on"], ["--isolation", "off"]])
    func thumbnailHasTheBytesOfTheThumbCommand(_ isolation: [String]) throws {
        let answers = try answers(Self.thumbnails.map { thumb($0.file, $0.members) }, isolation[0], isolation[1])
        for (answer, (file, members, arguments)) in zip(answers, Self.thumbnails) {
            let command = try ToolRun(["thumb", fixturePath(file), "-o", "-"] + arguments)
            #expect(answer.body == command.output && !answer.body.isEmpty, "\(file) \(members)")
            #expect(answer.status == "complete" || !command.errors.isEmpty, "\(file) \(members)")
        }
    }

    @Test func damageIsReportedInTheAnswer() throws {
        let answers = try answers([
            thumb("gif/truncated-after-7-rows.gif", "\"ops\":\"9\""), thumb("png/bad-crc-idat.png", "\"ops\":\"9\""),
        ])
        #expect(answers[0].status == "truncated" && answers[0].json["rows"]?.integer == 7)
        #expect(answers[1].status == "corrupt" && answers[1].json["warnings"]?.array?.isEmpty == false)
    }

    @Test func decodedPixelsAreThoseOfTheDecodeCommand() throws {
        let formats: [(members: String, arguments: [String])] = [
            ("\"format\":\"raw\"", ["--format", "raw"]), ("\"format\":\"pam\"", ["--format", "pam"]),
            ("\"format\":\"png\"", ["--format", "png"]),
            ("\"options\":{\"premultiplied\":true}", ["--format", "raw", "--premultiplied"]),
            ("\"options\":{\"as-stored\":true,\"frame\":0}", ["--format", "raw", "--as-stored", "--frame", "0"]),
        ]
        let path = fixturePath("demo/window.png")
        let answers = try answers(formats.map { "{\"id\":1,\"op\":\"decode\",\"path\":\"\(path)\",\($0.members)}" })
        for (answer, (members, arguments)) in zip(answers, formats) {
            let command = try ToolRun(["decode", path, "-o", "-"] + arguments)
            #expect(answer.body == command.output && !answer.body.isEmpty, "\(members)")
        }
        let (width, height) = (answers[0].json["width"]?.integer ?? 0, answers[0].json["height"]?.integer ?? 0)
        #expect(answers[0].body.count == 4 * width * height)
    }

    @Test func infoHasTheFactsOfTheInfoCommand() throws {
        for name in ["demo/mountains.jpg", "demo/orbit.gif", "demo/letter-g4.tif", "demo/display-p3.png"] {
            let answer = try answers(["{\"id\":1,\"op\":\"info\",\"path\":\"\(fixturePath(name))\"}"])[0]
            var reader = JSONReader(try ToolRun("info", "--json", fixturePath(name)).output)
            guard case .object(let facts)? = try reader.document().array?.first else {
                throw CocoaError(.coderInvalidValue)
            }
            for (key, value) in facts where key != "file" && key != "bytes" {
                guard case .object(let members) = answer.json else { continue }
                #expect(members.first { $0.0 == key }?.1.text == value.text, "\(name) \(key)")
            }
        }
    }

    @Test func failureHasTheCodeOfTheCommand() throws {
        let paths = [
            try folder.write(avif, to: "a.avif"): "unsupported",
            try folder.write(hugeBitmap, to: "huge.bmp"): "limitExceeded",
            try folder.write([], to: "empty.png"): "unknownFormat", folder.path("missing.png"): "noInput",
            folder.path: "noInput",
        ]
        for (path, code) in paths {
            let answer = try answers(["{\"id\":1,\"op\":\"thumb\",\"path\":\"\(path)\",\"ops\":\"9\"}"])[0]
            #expect(answer.status == "failed" && answer.code == code, "\(path) \(answer.code ?? "")")
            #expect(answer.body.isEmpty && answer.json["bytes"] == nil)
        }
    }

    @Test func resultIsWrittenToAFileAndReplacesIt() throws {
        try folder.write([1, 2, 3], to: "old.png")
        let answers = try answers([
            thumb("png/rgba8.png", "\"ops\":\"9\",\"output\":\"\(folder.path("new/sub/a.png"))\""),
            thumb("png/rgba8.png", "\"ops\":\"9\",\"output\":\"\(folder.path("old.png"))\""),
            thumb("png/rgba8.png", "\"ops\":\"9\""),
        ])
        #expect(answers.map(\.status) == ["complete", "complete", "complete"])
        #expect(answers[0].json["bytes"]?.integer == answers[2].body.count && answers[0].body.isEmpty)
        #expect(try folder.read("new/sub/a.png") == answers[2].body)
        #expect(try folder.read("old.png") == answers[2].body)
        #expect(try folder.names.sorted() == ["new", "old.png"])
    }

    @Test(arguments: ["", "--root ."])
    func outputWithTheNameOfStdoutIsAFile(_ options: String) throws {
        try folder.write(try Fixture.file("png/rgba8.png"), to: "in.png")
        let line = "{\"id\":1,\"op\":\"thumb\",\"path\":\"in.png\",\"ops\":\"9\""
        try folder.write(Array("\(line),\"output\":\"-\"}\n\(line)}\n".utf8), to: "requests")
        let run = try ToolRun(
            shell: "cd '\(folder.path)' && \"$TOOL\" worker --ordered --isolation off \(options) < requests")
        let answers = try WorkerAnswerLine.all(run.output)
        try #require(answers.map(\.status) == ["complete", "complete"])
        #expect(try folder.read("-") == answers[1].body && answers[0].body.isEmpty)
    }

    @Test func concurrentOutputsHaveThePermissionsOfTheUmask() throws {
        let lines = (0..<400).map { number in
            thumb("png/rgba8.png", "\"ops\":\"9\",\"output\":\"\(folder.path("out/\(number).png"))\"") + "\n"
        }
        try folder.write(Array(lines.joined().utf8), to: "requests")
        let run = try ToolRun(
            shell: "cd '\(folder.path)' && umask 027 && \"$TOOL\" worker -j 8 --isolation off < requests")
        #expect(try WorkerAnswerLine.all(run.output).allSatisfy { $0.status == "complete" })
        let modes = try (0..<400).map { number in
            try FileManager.default.attributesOfItem(atPath: folder.path("out/\(number).png"))[.posixPermissions]
                as? Int
        }
        #expect(Set(modes) == [0o640])
    }

    @Test func failedRequestLeavesTheOutputUnchanged() throws {
        try folder.write([1, 2, 3], to: "old.png")
        let broken = try folder.write(hugeBitmap, to: "huge.bmp")
        let output = folder.path("old.png")
        let answers = try answers([
            "{\"id\":1,\"op\":\"thumb\",\"path\":\"\(broken)\",\"ops\":\"9\",\"output\":\"\(output)\"}",
            thumb("png/rgba8.png", "\"ops\":\"9\",\"output\":\"\(folder.path)\""),
            thumb("png/rgba8.png", "\"ops\":\"9\",\"output\":\"\(output)/a.png\""),
            thumb("png/rgba8.png", "\"ops\":\"9\",\"output\":\"a\\u0000b\""),
        ])
        #expect(answers.map(\.code) == ["limitExceeded", "io", "io", "noInput"])
        #expect(try folder.read("old.png") == [1, 2, 3])
        #expect(try folder.names.sorted() == ["huge.bmp", "old.png"])
    }

    @Test func requestAfterItsDeadlineFailsWithTimedOut() throws {
        let path = try folder.write(largeBitmap, to: "large.bmp")
        // All requests are read at once, and one thread works on them one after the other.
        let line = "{\"id\":1,\"op\":\"decode\",\"path\":\"\(path)\",\"format\":\"png\",\"deadlineMs\":1}"
        let answers = try answers(
            [String](repeating: line, count: 40), "-j", "1", "--max-in-flight", "40", "--isolation", "off")
        #expect(answers.last?.code == "timedOut")
        #expect(answers.allSatisfy { $0.code == "timedOut" || $0.status == "complete" })
    }
}
