#if Service
import Foundation
import PlatformImageTestSupport
import Testing

/// Docs/service-security.md against the tests that there are.
@Suite struct SecurityTableTests {
    private struct Row: Hashable, Comparable {
        let id: String
        let name: String
        let file: String

        static func < (a: Self, b: Self) -> Bool { (a.file, a.id, a.name) < (b.file, b.id, b.name) }
    }

    private static let root = Fixture.folder.deletingLastPathComponent()

    /// All tests whose name begins with an id.
    private static func tests() throws -> Set<Row> {
        var found: Set<Row> = []
        let folder = root.appending(path: "Tests")
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for match in text.matches(of: #/@Test\(\s*"(SV\d+):? ([^"]*)"/#) {
                found.insert(Row(id: String(match.1), name: String(match.2), file: "Tests/\(path)"))
            }
        }
        return found
    }

    private static func rows() throws -> [Row] {
        let text = try String(contentsOf: root.appending(path: "Docs/service-security.md"), encoding: .utf8)
        return text.matches(of: #/\n\| (SV\d+) \| (.+) \| `(.+)` \|/#).map {
            Row(id: String($0.1), name: String($0.2), file: String($0.3))
        }
    }

    @Test func theTableNamesEveryTestAndNoOther() throws {
        let (rows, tests) = (try Self.rows(), try Self.tests())

        #expect(Set(rows).count == rows.count)
        #expect(tests.subtracting(rows).sorted() == [], "are not in the table")
        #expect(Set(rows).subtracting(tests).sorted() == [], "are in the table and nowhere else")
    }

    @Test func everyCriterionHasATest() throws {
        let ids = Set(try Self.rows().map(\.id))
        #expect(ids == Set((1...25).map { "SV\($0)" }))
    }
}
#endif
