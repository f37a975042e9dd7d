import Foundation
import PlatformImageTestSupport
import Testing

/// Manifests written by an earlier commit (`Fixtures/stored/thumb`): a resumed run skips the completed outputs.
@Suite struct StoredManifestTests {
    private static let stored = Fixture.folder.appending(path: "stored/thumb")

    /// The members of a manifest line that the tests use.
    private struct Line: Decodable {
        let input: String
        let modified: Int
        let output: String
    }

    private static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: stored.appending(path: name)))
    }

    @Test(arguments: 0..<9) func outputsListedInAStoredManifestAreSkipped(_ number: Int) throws {
        let manifest = try Self.file("manifest.ndjson")
        let lines = try manifest.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Line.self, from: Data($0))
        }
        let runs = try JSONDecoder().decode([[String]].self, from: Data(try Self.file("runs.json")))
        #expect(runs.count == 9 && lines.count == 9)
        let line = lines[number]
        let folder = try TemporaryFolder()
        let input = try folder.write(try Self.file("input.png"), to: line.input)
        let times = [
            timespec(tv_sec: 0, tv_nsec: 0),
            timespec(tv_sec: line.modified / 1_000_000_000, tv_nsec: line.modified % 1_000_000_000),
        ]
        #expect(utimensat(AT_FDCWD, input, times, 0) == 0)
        try folder.write(manifest, to: "manifest.ndjson")
        // Writes an empty output file; if the tool rendered the image again, the file would not stay empty.
        try folder.write([], to: line.output)

        let options = runs[number].map { "'\($0)'" }.joined(separator: " ")
        let run = try ToolRun(
            shell: "cd '\(folder.path)' && \"$TOOL\" thumb \(line.input) -o '{name}-small.{ext}' "
                + "--manifest manifest.ndjson \(options)")

        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(try folder.read(line.output) == [])
        #expect(try folder.read("manifest.ndjson") == manifest)
    }

    @Test func outputsInAManifestWrittenWithOtherOptionsAreNotSkipped() throws {
        let folder = try TemporaryFolder()
        try folder.write(try Self.file("input.png"), to: "a.png")
        for (size, count) in [("8", 1), ("8", 1), ("9", 2), ("9", 2)] {
            let run = try ToolRun(
                shell: "cd '\(folder.path)' && \"$TOOL\" thumb a.png -o o.png -s \(size) --manifest m.ndjson")
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(try folder.read("m.ndjson").count { $0 == UInt8(ascii: "\n") } == count)
        }
    }
}
