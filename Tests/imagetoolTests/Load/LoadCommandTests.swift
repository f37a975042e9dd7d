import Foundation
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@Suite struct LoadCommandTests {
    struct Row: Decodable {
        let url: String
        let status: Int?
        let source: String
        let fresh: Bool
        let width: Int?
        let height: Int?
        let format: String?
        let bytes: Int?
        let milliseconds: Double
        let error: String?
        let file: String?
    }

    private func rows(_ run: ToolRun) throws -> [Row] { try JSONDecoder().decode([Row].self, from: Data(run.output)) }

    /// `ToolRun` blocks its thread, so it must not run on Swift's cooperative threads, which the origin needs.
    private func tool(_ arguments: [String]) async throws -> ToolRun {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try ToolRun(arguments) }) }
        }
    }

    private let cache: TemporaryFolder

    init() throws { cache = try TemporaryFolder() }

    @Test func jsonOutputReportsEveryLoad() async throws {
        let origin = try await PipeOrigin(maxAge: 3_600)

        let run = try await tool(["load", origin.url(), "--cache-dir", cache.path, "--repeat", "3", "--json"])
        let again = try await tool(["load", origin.url(), "--cache-dir", cache.path, "--json"])
        let asked = try await tool([
            "load", origin.url(), "--cache-dir", cache.path, "--json", "--policy", "revalidate",
        ])

        let rows = try rows(run)
        #expect(run.exitCode == 0 && run.errors.isEmpty)
        #expect(rows.map(\.source) == ["network", "memory", "memory"])
        #expect(rows.allSatisfy { $0.url == origin.url() && $0.status == 200 && $0.fresh && $0.error == nil })
        #expect(rows.allSatisfy { $0.width == 19 && $0.height == 13 && $0.format == "png" && $0.bytes == 506 })
        #expect(rows.allSatisfy { $0.milliseconds > 0 })
        #expect(try self.rows(again).map(\.source) == ["disk"])
        #expect(try self.rows(asked).map(\.source) == ["revalidated"])
        #expect(origin.requests() == 2)
        for member in [
            "url", "status", "source", "fresh", "width", "height", "format", "bytes", "milliseconds", "error",
        ] {
            #expect(run.text.contains("\"\(member)\":"))
        }
    }

    @Test func cacheDirectoryOfAnySpellingIsUsed() async throws {
        for (number, path) in ["c", "./c2", "a/b", "d/", "e/f/", "./g//h"].enumerated() {
            let origin = try await PipeOrigin(maxAge: 3_600)
            let arguments = ["load", origin.url(), "--cache-dir", path, "--json"]
            for source in ["network", "disk"] {
                let run = try await tool(arguments, in: cache)
                #expect(run.exitCode == 0 && run.errors.isEmpty, "\(path) \(run.errors)")
                #expect(try rows(run).map(\.source) == [source], "\(path)")
            }
            #expect(origin.requests() == 1, "\(path)")
            #expect(try cache.names.count == number + 1, "\(path)")
        }
    }

    @Test func cacheDirectoryThatCannotBeUsedExitsWith74BeforeAnyLoad() async throws {
        let origin = try await PipeOrigin(maxAge: 3_600)
        try cache.write([1], to: "file")

        for path in ["file", "file/", "file/below", "./file", "/dev/null", "/proc/none"] {
            let run = try await tool(["load", origin.url(), "--cache-dir", path, "--json"], in: cache)
            #expect(run.exitCode == 74, "\(path)")
            #expect(run.errors.hasPrefix("\(path): io: --cache-dir cannot be used: "), "\(run.errors)")
        }
        #expect(origin.requests() == 0)
    }

    /// Runs the tool in a folder.
    private func tool(_ arguments: [String], in folder: TemporaryFolder) async throws -> ToolRun {
        let line = "cd '\(folder.path)' && \"$TOOL\" " + arguments.map { "'\($0)'" }.joined(separator: " ")
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try ToolRun(shell: line) }) }
        }
    }

    @Test func plainOutputPrintsOneTableRowPerLoad() async throws {
        let origin = try await PipeOrigin(maxAge: 3_600)

        let run = try await tool(["load", origin.url(), "--cache-dir", cache.path, "--repeat", "2"])

        let lines = run.text.split(separator: "\n")
        #expect(run.exitCode == 0 && run.errors.isEmpty)
        #expect(lines.count == 4)
        #expect(lines[2].contains("200") && lines[2].contains("network") && lines[2].contains("19x13"))
        #expect(lines[3].contains("memory"))
    }

    @Test func outputFilesOfAnyURLGetSafeUniqueNames() async throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "a.png")
        let resource = OriginResource(try PipeOrigin.image, contentType: "image/png")
        let paths = [
            "/a.png", "/b/a.png", "/a.png?x=1", "/..%2F..%2Fetc%2Fpasswd", "/", "/.hidden.PNG", "/-rf", "/a%20b.jpg",
            "/" + String(repeating: "long", count: 100),
        ]
        let answer: PipeOrigin.Responses = { .response(resource.response(to: $0)) }
        let origin = try await PipeOrigin(Dictionary(uniqueKeysWithValues: paths.map { ($0, answer) }))

        let urls = paths.map { origin.url($0) }
        let run = try await tool(["load"] + urls + ["-o", folder.path, "--cache-dir", cache.path, "--json"])

        #expect(run.exitCode == 0, "\(run.errors)")
        let files = try rows(run).compactMap(\.file)
        #expect(
            files.prefix(8) == [
                "a-2.png", "a-3.png", "a-4.png", "_2F.._2Fetc_2Fpasswd.png", "image.png", "hidden.PNG", "rf.png",
                "a_20b.jpg.png",
            ])
        #expect(files.count == 9 && files[8].utf8.count < 120)
        #expect(try folder.names == (files + ["a.png"]).sorted())
        #expect(try folder.read("a.png") == [1, 2, 3])
        for file in files { #expect(try folder.read(file) == PipeOrigin.image) }
    }

    @Test func outputFolderIsCreatedAndAFileAsFolderExitsWith74() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([1], to: "file")
        let origin = try await PipeOrigin(maxAge: nil)

        let made = try await tool(["load", origin.url(), "-o", folder.path("new"), "--cache-dir", cache.path])
        let refused = try await tool(["load", origin.url(), "-o", file, "--cache-dir", cache.path])

        #expect(made.exitCode == 0)
        #expect(try folder.read("new/a.png") == PipeOrigin.image)
        #expect(refused.exitCode == 74)
        #expect(refused.errors.hasPrefix("\(file): io: "))
    }

    @Test func eachLoadFailureExitsWithTheCodeOfItsError() async throws {
        let origin = try await PipeOrigin([
            "/404": { _ in PipeOrigin.response(404) }, "/500": { _ in PipeOrigin.response(500) },
            "/page": { _ in PipeOrigin.response(200, ["Content-Type": "text/html"], [60]) },
            "/broken": { _ in PipeOrigin.response(200, ["Content-Type": "image/png"], [60]) },
            "/cut": { _ in .close() }, "/loop": { _ in PipeOrigin.response(302, ["Location": "/loop"]) },
            "/huge": { _ in PipeOrigin.response(200, ["Content-Type": "image/bmp"], hugeBitmap) },
            "/good": { _ in PipeOrigin.response(200, ["Content-Type": "image/bmp"], smallBitmap) },
        ])
        let table: [(String, Int32, String)] = [
            (origin.url("/404"), 66, "http"), (origin.url("/500"), 66, "http"),
            (origin.url("/page"), 65, "unacceptableContentType"), (origin.url("/broken"), 65, "undecodable"),
            (origin.url("/cut"), 74, "transport"), (origin.url("/loop"), 74, "redirect"),
            (origin.url("/huge"), 77, "pixelLimit"), ("nonsense", 64, "invalidURL"),
            ("ftp://127.0.0.1/a", 64, "unsupportedScheme"),
        ]
        for (url, exitCode, code) in table {
            let run = try await tool(["load", url, "--cache-dir", cache.path, "--json"])
            #expect(run.exitCode == exitCode, "\(url)")
            #expect(run.errors.hasPrefix("\(url): \(code): "), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
            let row = try #require(try rows(run).first)
            #expect(row.error?.hasPrefix(code) == true && row.width == nil && !row.fresh)
        }
        let some = try await tool([
            "load", origin.url("/good"), origin.url("/404"), "--cache-dir", cache.path, "--json",
        ])
        #expect(some.exitCode == 1)
        #expect(try rows(some).map(\.status) == [200, 404])
        let cacheOnly = try await tool([
            "load", origin.url("/good"), "--cache-dir", cache.path + "/other", "--policy", "cacheOnly",
        ])
        #expect(cacheOnly.exitCode == 66)
    }

    @Test(.requirement("O97")) func secretsInURLsAreRedactedInTheOutput() async throws {
        let origin = try await PipeOrigin([:])
        let url = origin.url("/a.png?token=SECRET1#SECRET2").replacing("127.0.0.1", with: "user:SECRET3@127.0.0.1")

        for arguments in [[], ["--json"]] {
            let run = try await tool(["load", url, "--cache-dir", cache.path] + arguments)
            #expect(run.exitCode == 66)
            #expect(!run.text.contains("SECRET") && !run.errors.contains("SECRET"))
            #expect(run.text.contains("/a.png?token=***"))
        }
    }

    @Test(arguments: [
        ["load"], ["load", "--repeat", "0", "http://127.0.0.1:1/"],
        ["load", "--policy", "never", "http://127.0.0.1:1/"],
        ["load", "--cache-dir", "", "http://127.0.0.1:1/"],
    ])
    func invalidLoadArgumentsExitWith64(_ arguments: [String]) throws {
        #expect(try ToolRun(arguments).exitCode == 64)
    }
}
