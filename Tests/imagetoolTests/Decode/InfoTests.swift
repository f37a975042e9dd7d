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
