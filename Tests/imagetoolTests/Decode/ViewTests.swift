import Testing

@Suite struct ViewTests {
    @Test func viewWithTheForceOptionPrintsHalfBlockCharacters() throws {
        let run = try ToolRun("view", "--force", "-", input: smallBitmap)

        let escape = "\u{1B}"
        let red = "\(escape)[38;2;255;0;0m\(escape)[48;2;0;0;255m▀"
        let green = "\(escape)[38;2;0;255;0m\(escape)[48;2;255;255;255m▀"
        #expect(run.text == "\(red)\(green)\(escape)[0m\n")
    }

    @Test func viewPrintsNothingWithoutATerminal() throws {
        let run = try ToolRun("view", "-", input: smallBitmap)

        #expect(run.output.isEmpty)
        #expect(run.exitCode == 0)
    }

    @Test func viewWithAWidthKeepsTheAspectRatio() throws {
        let run = try ToolRun("view", "--force", "--width", "10", "-", input: largeBitmap)

        let lines = run.text.split(separator: "\n")
        #expect(lines.map { $0.count { $0 == "▀" } } == [10, 10, 10, 10, 10])
    }
}
