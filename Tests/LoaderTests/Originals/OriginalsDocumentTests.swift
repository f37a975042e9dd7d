#if Loader
import Foundation
import Testing

/// Holds Docs/originals.md, the table of behaviours and the tests that name them together.
///
/// A test names what it proves in a comment line of identifiers right above it: `// O44, O52`.
@Suite struct OriginalsDocumentTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized
    private static let begin = "<!-- rows: begin -->"
    private static let end = "<!-- rows: end -->"

    /// With ORIGINALS_WRITE=1 in the environment the document is written instead of compared.
    @Test func everyBehaviourHasItsTestsInTheDocument() throws {
        let tests = try Self.testsByBehaviour()
        let known = Set(OriginalsTable.behaviours.map(\.id))
        #expect(Set(tests.keys).subtracting(known).sorted() == [], "a test names what no row tells of")
        #expect(known.subtracting(tests.keys).sorted() == [], "no test names these")

        let rows = OriginalsTable.behaviours.map { row in
            "| \(row.id) | \(row.promise) | \((tests[row.id] ?? []).sorted().joined(separator: "<br>")) |"
        }
        let document = Self.folder.appending(path: "Docs/originals.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex(of: Self.begin))
        let end = try #require(lines.firstIndex(of: Self.end))
        let table = ["", "| id | what is promised | proved by |", "|---|---|---|"] + rows + [""]
        if ProcessInfo.processInfo.environment["ORIGINALS_WRITE"] == "1" {
            let written = lines[...begin] + table + lines[end...]
            try written.joined(separator: "\n").write(to: document, atomically: true, encoding: .utf8)
            return
        }
        #expect(Array(lines[(begin + 1)..<end]).difference(from: table).isEmpty, "ORIGINALS_WRITE=1 writes it anew")
    }

    /// The tests that name each behaviour, as `Suite.test` in backticks.
    private static func testsByBehaviour() throws -> [String: Set<String>] {
        let tests = folder.appending(path: "Tests")
        let files = FileManager.default.enumerator(atPath: tests.path())?.compactMap { $0 as? String } ?? []
        var found: [String: Set<String>] = [:]
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
            var suite = ""
            var ids: [String] = []
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                if let named = identifiers(of: line) {
                    ids += named
                } else if let place = words.firstIndex(where: { $0 == "struct" || $0 == "extension" || $0 == "enum" }),
                    !words[0].hasPrefix("//"), words.indices.contains(place + 1)
                {
                    suite = String(words[place + 1].prefix { $0 != ":" && $0 != "{" })
                } else if !ids.isEmpty, let place = words.firstIndex(of: "func"), words.indices.contains(place + 1) {
                    let name = words[place + 1].prefix { $0 != "(" }
                    for id in ids { found[id, default: []].insert("`\(suite).\(name)`") }
                    ids = []
                }
            }
            #expect(ids.isEmpty, "\(file): \(ids) stand above no test")
        }
        return found
    }

    /// The identifiers of a comment line that holds nothing else; nil for any other line.
    private static func identifiers(of line: Substring) -> [String]? {
        guard let comment = line.wholeMatch(of: /\s*\/\/\s*([OC]\d+(?:,\s*[OC]\d+)*)\.?\s*/) else { return nil }
        let ids = comment.output.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        // C1 to C16 are the memory cache's own.
        return ids.filter { $0.hasPrefix("O") || $0 == "C17" || $0 == "C18" }
    }
}
#endif
