import Foundation
import Testing

/// Compares Docs/cache-tests.md with the rows of ``ConformanceTable``.
@Suite struct ConformanceDocumentTests {
    private static let document = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Docs/cache-tests.md").standardized
    private static let begin = "<!-- rows: begin -->"
    private static let end = "<!-- rows: end -->"

    /// With `CACHE_TESTS_WRITE=1` in the environment, the test writes the document instead of comparing it.
    @Test func documentContainsExactlyTheRowsOfTheConformanceTable() throws {
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex(of: Self.begin))
        let end = try #require(lines.firstIndex(of: Self.end))

        if ProcessInfo.processInfo.environment["CACHE_TESTS_WRITE"] == "1" {
            let written = lines[...begin] + [""] + ConformanceTable.markdown + [""] + lines[end...]
            try written.joined(separator: "\n").write(to: Self.document, atomically: true, encoding: .utf8)
            return
        }

        let shown = lines[(begin + 2)..<(end - 1)]
        let ids = Set(shown.compactMap(Self.identifier))
        #expect(ids.symmetricDifference(ConformanceTable.behaviours.map(\.id)).sorted() == [])
        #expect(Array(shown).difference(from: ConformanceTable.markdown).isEmpty)
    }

    @Test func conformanceTableAndExclusionsContainEachPublishedCacheBehaviourOnce() {
        let ids = ConformanceTable.behaviours.map(\.id) + ExcludedBehaviours.all.flatMap(\.ids)
        let twice = Dictionary(grouping: ids) { $0 }.filter { $0.value.count > 1 }.keys.sorted()

        #expect(twice == [])
        #expect(ids.count == ConformanceTable.published)
    }

    @Test func allRequiredAndAtLeast41OptimalCacheBehavioursAreMet() {
        for kind in Behaviour.Kind.allCases {
            let (all, met) = ConformanceTable.count(kind)
            print("cache-tests: \(met) of \(all) \(kind.rawValue) behaviours are met")
        }

        let required = ConformanceTable.count(.required)
        #expect(required.met == required.all)
        #expect(ConformanceTable.count(.optimal).met >= 41)
    }

    /// The identifier in the first cell of a row; nil for any other line.
    private static func identifier(_ line: String) -> String? {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        guard cells.count == 6, cells[1].hasPrefix(" `"), cells[1].hasSuffix("` ") else { return nil }
        return String(cells[1].dropFirst(2).dropLast(2))
    }
}
