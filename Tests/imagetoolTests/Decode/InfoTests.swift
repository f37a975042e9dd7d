import Foundation
import PlatformImageTestSupport
import Testing

@Suite struct InfoTests {
    private struct Facts: Decodable {
        let file: String
        let format: String
        let width: Int
        let height: Int
        let displayWidth: Int
        let displayHeight: Int
        let frames: Int?
        let loopCount: Int?
        let orientation: Int
        let bitsPerChannel: Int
        let colorModel: String
        let hasAlpha: Bool
        let iccProfile: String?
        let bytes: Int
        let decodedBytes: Int?
    }

    private func facts(_ output: [UInt8]) throws -> [Facts] {
        try JSONDecoder().decode([Facts].self, from: Data(output))
    }

    @Test func jsonOutputIsAnArrayOfImageProperties() throws {
        let run = try ToolRun("info", "--json", "-", input: smallBitmap)

        let facts = try #require(try facts(run.output).first)
        #expect(facts.file == "-" && facts.format == "bmp" && facts.width == 2 && facts.height == 2)
        #expect(facts.bitsPerChannel == 8 && facts.colorModel == "rgb" && facts.hasAlpha == false)
        #expect(facts.bytes == smallBitmap.count && facts.decodedBytes == 16)
        #expect(facts.loopCount == nil && facts.iccProfile == nil)
    }

    @Test func unknownValuesAreWrittenAsNull() throws {
        let run = try ToolRun("info", "--ndjson", "-", input: smallBitmap)

        #expect(run.text.contains("\"loopCount\":null,"))
        #expect(run.text.contains("\"iccProfile\":null,"))
        #expect(run.text.split(separator: "\n").count == 1)
    }

    @Test func infoJSONOfEveryDecodableFixtureMatchesTheFixtureManifest() throws {
        let fixtures = Fixture.all.filter { $0.expect.error == nil }

        let run = try ToolRun(["info", "--json"] + fixtures.map { fixturePath($0.path) })

        #expect(run.errors.isEmpty)
        let found = Dictionary(try facts(run.output).map { ($0.file, $0) }) { first, _ in first }
        for fixture in fixtures {
            let facts = try #require(found[fixturePath(fixture.path)], "\(fixture)")
            #expect(facts.format == fixture.format, "\(fixture)")
            #expect(facts.width == fixture.width && facts.height == fixture.height, "\(fixture)")
            #expect(facts.bytes == fixture.bytes, "\(fixture)")
            if let orientation = fixture.orientation { #expect(facts.orientation == orientation, "\(fixture)") }
            let isTurned = facts.orientation >= 5
            #expect(facts.displayWidth == (isTurned ? facts.height : facts.width), "\(fixture)")
            #expect(facts.displayHeight == (isTurned ? facts.width : facts.height), "\(fixture)")
        }
    }

    @Test func failedFileIsOmittedFromTheJSONArray() throws {
        let folder = try TemporaryFolder()
        let good = try folder.write(smallBitmap, to: "good.bmp")

        let run = try ToolRun("info", "--json", folder.path("missing"), good)

        #expect(run.exitCode == 1)
        #expect(try facts(run.output).map(\.file) == [good])
    }

    @Test func inputsThatAllFailGiveAnEmptyJSONArray() throws {
        let run = try ToolRun("info", "--json", "-", input: avif)

        #expect(run.exitCode == 65)
        #expect(run.text == "[]\n")
    }

    @Test func infoReportsTheSizeOfAnImageOverTheDecodeLimit() throws {
        let run = try ToolRun("info", "--ndjson", "-", input: hugeBitmap)

        #expect(run.exitCode == 0)
        #expect(run.text.contains("\"width\":20000,\"height\":20000,"))
    }

    @Test func plainOutputPrintsAlignedNamesAndValues() throws {
        let run = try ToolRun("info", "-", input: smallBitmap)

        #expect(run.text.hasPrefix("-\n  format          bmp\n  width           2\n"))
    }
}

@Suite struct InfoEXIFTests {
    /// A JPEG with Make, Copyright, DateTimeOriginal and a GPS IFD.
    private static let camera: [UInt8] = {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            bytes(tag, 2) + bytes(type, 2) + bytes(count, 4) + bytes(value, 4)
        }
        let (make, date) = (Array("Cam\u{1B}era\0\0\0\0".utf8), Array("2026:11:23 08:00:00\0".utf8))
        let texts = 8 + 2 + 3 * 12 + 4
        let exif = texts + make.count + date.count
        let gps = exif + 2 + 12 + 4
        var block = Array("II".utf8) + bytes(42, 2) + bytes(8, 4) + bytes(3, 2)
        block += entry(271, 2, 8, texts) + entry(34665, 4, 1, exif) + entry(34853, 4, 1, gps) + bytes(0, 4)
        block += make + date
        block += bytes(1, 2) + entry(36867, 2, 20, texts + make.count) + bytes(0, 4)
        block += bytes(1, 2) + entry(1, 2, 2, 0x4E) + bytes(0, 4)
        let payload = Array("Exif\0\0".utf8) + block
        let segment: [UInt8] = [0xFF, 0xE1, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)]
        guard let file = try? Fixture.file("jpeg/sampling-420.jpg") else { return [] }
        return Array(file.prefix(2)) + segment + payload + file.dropFirst(2)
    }()

    @Test(.requirement("N24")) func infoPrintsCameraDateAndPlace() throws {
        let json = try ToolRun("info", "--ndjson", "-", input: Self.camera)
        let text = try ToolRun("info", "-", input: Self.camera)

        #expect(json.text.contains("\"make\":\"Cam era\""), "\(json.text)")
        #expect(json.text.contains("\"dateTimeOriginal\":\"2026:11:23 08:00:00\""))
        #expect(json.text.contains("\"hasGPS\":true"))
        #expect(json.text.contains("\"model\":null,") && json.text.contains("\"copyright\":null,"))
        #expect(text.text.contains("  make            Cam era\n") && text.text.contains("  hasGPS          true\n"))
        #expect(!text.text.contains("model"))
    }

    @Test(.requirement("B5", "B11")) func infoPrintsPlaysAndPages() throws {
        let gif = try ToolRun("info", "--ndjson", "-", input: Fixture.file("gif/loop-3.gif"))
        let tiff = try ToolRun("info", "--ndjson", "-", input: Fixture.file("tiff/pages-3-classic-le.tif"))

        #expect(gif.text.contains("\"loopCount\":4,") && gif.text.contains("\"pages\":null,"))
        #expect(tiff.text.contains("\"isReduced\":false,\"isSubIFD\":false}") && tiff.text.contains("\"frames\":3,"))
    }
}
