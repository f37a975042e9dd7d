import Foundation
import Testing

@testable import PlatformImageToolSupport
@testable import imagetool

@Suite struct ManualPageTests {
    @Test func manualPageNamesEveryVisibleCommandAndOption() throws {
        let run = try ToolRun("help", "--man")

        #expect(run.exitCode == 0 && run.errors.isEmpty)
        #expect(run.text.hasPrefix(".TH \"IMAGETOOL\" 1 "))
        let text = run.text.replacing("\\-", with: "-")
        var stacks: [[any ParsableArguments.Type]] = [[ImageTool.self]]
        while let stack = stacks.popLast() {
            for command in CommandLineParser.subcommands(of: stack) {
                if command.configuration.shouldDisplay { stacks.append(stack + [command]) }
            }
            guard let command = stack.last else { continue }
            let path = Usage(stack: stack).command
            if stack.count > 1 { #expect(text.contains(".SS \"\(path)\"\n"), "\(path)") }
            for definition in ArgumentSet(command.init()).definitions where !definition.help.isHidden {
                let label = definition.names.map(\.text).joined(separator: ", ")
                #expect(text.contains(".B \(label.isEmpty ? "<\(definition.valueName)>" : label)"), "\(path) \(label)")
                let sentence = definition.help.abstract.prefix(20).replacing("\n", with: " ")
                #expect(text.contains(sentence), "\(path) \(label)")
            }
        }
    }

    /// A line that begins with a period is a request of the formatter: only those of man(7) that the page uses.
    @Test func everyLineWithAPeriodIsARequestOfMan() throws {
        let run = try ToolRun("help", "--man")

        let requests = run.text.split(separator: "\n").filter { $0.hasPrefix(".") || $0.hasPrefix("'") }
        let known: Set<Substring> = [".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".sp"]
        for line in requests { #expect(known.contains(line.prefix { $0 != " " }), "\(line)") }
    }

    @Test(arguments: [
        (["thumb", "a.png", "--sizze", "100", "-o", "x.png"], "Unknown option '--sizze'. Did you mean '--size'?"),
        (["thumb", "--bogus"], "Unknown option '--bogus'"), (["thumb", "a", "-o", "b", "-Z"], "Unknown option '-Z'"),
        (["contact-sheet", "--bogus", "a"], "Unknown option '--bogus'"),
        (["thumb", "a", "-s", "0", "-o", "b", "--bogus"], "Unknown option '--bogus'"),
        (["cache", "gc", "d", "--bogus"], "Unknown option '--bogus'"),
    ])
    func unknownOptionIsNamedInsteadOfAMissingOne(_ arguments: [String], _ message: String) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 64)
        #expect(run.errors.hasPrefix("Error: \(message)"), "\(run.errors)")
    }

    @Test func helpStatesTheDefaultQuality() throws {
        for command in ["thumb", "convert"] {
            let text = try ToolRun("help", command).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("Quality of JPEG and lossy WebP, 1 to 100. (default: 80)"), "\(command)")
        }
    }

    /// Stdout of the tool is the terminal that `script` (util-linux) creates.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")),
        arguments: ["decode a.bmp", "thumb a.bmp -s 1 -o -", "convert a.bmp -o -", "contact-sheet a.bmp -o -"])
    func imageIsNotWrittenToATerminal(_ call: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(smallBitmap, to: "a.bmp")

        let run = try ToolRun(
            shell: "cd '\(folder.path)' && script -qec \"$TOOL \(call)\" /dev/null </dev/null")

        #expect(run.exitCode == 64)
        #expect(run.text.contains("stdout is a terminal"), "\(run.text)")
    }
}
