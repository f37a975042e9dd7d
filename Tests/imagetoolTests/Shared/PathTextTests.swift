import Foundation
import PlatformImage
import PlatformImageTestSupport
import PlatformImageToolSupport
import Testing

/// File names of any bytes.
@Suite struct PathTextTests {
    /// Bytes of names: every byte, cut and overlong sequences, surrogates, and the characters that stand for bytes.
    private static let names: [[UInt8]] =
        (1...255).map { [UInt8($0)] } + [
            [], Array("photo é 写真.png".utf8), [0x61, 0xFF, 0x62], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xC0, 0xAF],
            [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98, 0x80], [0xF4, 0x8F, 0xBE, 0x80],
            [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBE, 0x80, 0xFF], [0xF4, 0x8F, 0xBD, 0xBF], [0xF4, 0x8F, 0xFF],
        ]

    @Test func everyPathHasItsOwnTextAndIsRestoredFromIt() {
        var generator = SplitMix(seed: 8)
        let random = (0..<2_000).map { _ in
            (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                [0x2F, 0x61, 0x80, 0xBE, 0xBF, 0x8F, 0xF4, 0xFF, 0xC3, 0xA9].randomElement(using: &generator) ?? 0x61
            } as [UInt8]
        }
        var texts: [[UInt8]: [UInt8]] = [:]
        for name in Self.names + random {
            let text = String(pathBytes: name)
            #expect(text.pathBytes == name, "\(name)")
            #expect(text.cPath.dropLast().map { UInt8(bitPattern: $0) } == name)
            #expect(text.isUTF8Path == (String(validating: name, as: UTF8.self) != nil), "\(name)")
            let other = texts.updateValue(name, forKey: Array(text.utf8))
            #expect(other == nil || other == name, "\(name)")
            let member = JSON.path("file", text)
            #expect(member.0 == (text.isUTF8Path ? "file" : "pathBase64"))
            #expect(JSON.object([member]).path("file")?.pathBytes == name, "\(name)")
        }
        #expect(String(pathBytes: [0x61, 0xFF, 0x2E, 0x80]).printable == "a\\xFF.\\x80")
        #expect(String(pathBytes: Array("é".utf8)).printable == "é")
    }

    @Test(arguments: [
        "in/b*.bmp", "\"$(printf 'in/b\\377.bmp')\"", "-r in", "--files-from list", "--files-from zeros -0",
    ])
    func fileWithANameThatIsNotUTF8IsProcessed(_ inputs: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(smallBitmap, to: "source")

        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && mkdir in && mv source "$(printf 'in/b\\377.bmp')" &&
                printf 'in/b\\377.bmp\\n' >list && printf 'in/b\\377.bmp\\0' >zeros &&
                "$TOOL" thumb \(inputs) -s 1 -o 'out/{name}-1.png' --manifest done --ndjson --quiet &&
                "$TOOL" thumb \(inputs) -s 1 -o 'out/{name}-1.png' --manifest done --ndjson --quiet &&
                test -s "$(printf 'out/b\\377-1.png')" && ls out | wc -l
                """)

        #expect(run.exitCode == 0, "\(run.errors)")
        let input = Data(Array("in/b".utf8) + [0xFF] + Array(".bmp".utf8)).base64EncodedString()
        let output = Data(Array("out/b".utf8) + [0xFF] + Array("-1.png".utf8)).base64EncodedString()
        let lines = run.text.split(separator: "\n")
        #expect(lines.count == 3, "\(run.text)")
        for (line, result) in zip(lines, ["made", "skipped"]) {
            let members = "{\"pathBase64\":\"\(input)\",\"result\":\"\(result)\",\"outputPathBase64\":\"\(output)\""
            #expect(line.hasPrefix(members), "\(line)")
        }
        #expect(lines.last?.trimmingCharacters(in: .whitespaces) == "1")
    }

    @Test func textOutputAndErrorsEscapeBytesThatAreNotUTF8() throws {
        let folder = try TemporaryFolder()
        try folder.write(smallBitmap, to: "source")

        let run = try ToolRun(
            shell: """
                cd '\(folder.path)' && name="$(printf 'b\\377\\303\\251')" && mv source "$name" &&
                "$TOOL" decode --digest "$name"; "$TOOL" info "$name" | head -1; "$TOOL" info --ndjson "$name" &&
                "$TOOL" decode "$name" -o "$name.png" && "$TOOL" info "$name-none"
                """)

        let lines = run.text.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == "\(smallBitmapDigest)  b\\xFFé" && lines[1] == "b\\xFFé", "\(lines)")
        #expect(
            lines.last?.hasPrefix("{\"pathBase64\":\"\(Data([0x62, 0xFF, 0xC3, 0xA9]).base64EncodedString())\"") == true
        )
        #expect(run.exitCode == 66 && run.errors.hasPrefix("b\\xFFé-none: noInput: "), "\(run.errors)")
    }
}
