import Testing

@testable import PlatformImageToolSupport

/// The progress bar on stderr.
@Suite struct ProgressTests {
    private func bar(_ text: String) -> String? {
        guard let start = text.firstIndex(of: "["), let end = text.firstIndex(of: "]") else { return nil }
        return String(text[text.index(after: start)..<end])
    }

    @Test func progressLineShowsTheCompletedFraction() {
        let rows: [(done: Int, total: Int, detail: String, columns: Int, text: String)] = [
            (0, 4, "", 80, "job [........................................] 0 of 4"),
            (1, 4, "", 80, "job [##########..............................] 1 of 4"),
            (4, 4, "", 80, "job [########################################] 4 of 4"),
            (5, 10, "1.5 MB", 40, "job [########........]  5 of 10  1.5 MB"),
            (1, 3, "", 30, "job [#####...........] 1 of 3"), (2, 3, "", 22, "job [#####...] 2 of 3"),
        ]
        for row in rows {
            let text = Progress.text("job", row.done, of: row.total, row.detail, columns: row.columns)
            #expect(text == row.text, "\(row.done) of \(row.total)")
        }
    }

    /// The cursor needs one column: a line that is as wide as the terminal would wrap.
    @Test func progressLineIsShorterThanTheTerminalWidth() {
        for columns in 0...120 {
            for (done, total) in [(0, 1), (1, 1), (7, 10), (123, 45_678)] {
                for detail in ["", "12.3 MB", String(repeating: "x", count: 50)] {
                    let text = Progress.text("loading", done, of: total, detail, columns: columns)
                    #expect(text.count <= max(0, columns - 1), "\(columns) columns: \(text)")
                }
            }
        }
    }

    @Test func progressBarHas8To40ColumnsAndIsOmittedWhenTheTerminalIsTooNarrow() {
        var widths: Set<Int> = []
        for columns in 0...200 {
            let text = Progress.text("loading", 3, of: 7, "", columns: columns)
            if let bar = bar(text) { widths.insert(bar.count) } else { #expect(!text.contains("[")) }
        }
        #expect(widths == Set(8...40))
    }

    @Test func progressLineInANarrowTerminalShowsOnlyNameAndCounts() {
        #expect(Progress.text("job", 2, of: 3, "", columns: 21) == "job 2 of 3")
        #expect(Progress.text("job", 2, of: 3, "much detail that does not fit", columns: 40) == "job 2 of 3")
        #expect(Progress.text("job", 2, of: 3, "", columns: 11) == "job 2 of 3")
        #expect(Progress.text("job", 2, of: 3, "", columns: 10) == "job 2 of ")
        for columns in [-5, 0, 1] { #expect(Progress.text("job", 2, of: 3, "", columns: columns) == "") }
    }

    @Test func progressBarGrowsMonotonically() {
        for total in [1, 9, 10, 100, 1_234] {
            let lines = (0...total).map { Progress.text("job", $0, of: total, "", columns: 80) }
            let filled = lines.map { line in line.count { $0 == "#" } }
            #expect(filled.first == 0)
            #expect(filled.last == bar(lines[0])?.count)
            #expect(zip(filled, filled.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(Set(lines.map(\.count)).count == 1)
            // The bar is full only at the end.
            #expect(filled.firstIndex(of: filled[total]) == total)
        }
    }

    /// The total can be an underestimate.
    @Test func progressOverTheTotalShowsAFullBar() {
        let text = Progress.text("job", 12, of: 5, "", columns: 80)
        #expect(bar(text) == String(repeating: "#", count: 40))
        #expect(text.hasSuffix("] 12 of 5"))
    }

    @Test func progressLineIsErasedBeforeEachUpdate() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                var progress = Progress("job", total: 2, isVisible: true)
                progress.clear()
                progress.show(0)
                progress.show(0)
                progress.show(1, "a")
                progress.clear()
                progress.clear()
                progress.show(1, "a")
            })

        let erase = "\r\u{1B}[2K"
        let empty = Progress.text("job", 0, of: 2, "", columns: 80)
        let half = Progress.text("job", 1, of: 2, "a", columns: 80)
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text == [empty, half, "", half].map { erase + $0 }.joined())
    }

    @Test func progressIsNotShownWithoutATerminal() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                var shown = Progress("job", total: 2, isVisible: false)
                // By default the bar is shown only on a terminal; here stderr is a pipe.
                var own = Progress("job", total: 2)
                shown.show(1)
                own.show(1)
                shown.clear()
                own.clear()
            })

        #expect(result.standardErrorContent.isEmpty)
    }

    @Test func progressWithoutAPositiveTotalTraps() async {
        await #expect(processExitsWith: .failure) { _ = Progress("job", total: 0, isVisible: false) }
        await #expect(processExitsWith: .failure) { _ = Progress("job", total: -1, isVisible: false) }
    }
}
