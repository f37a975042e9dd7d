import Testing

@testable import PlatformImageToolSupport
@testable import imagetool
@testable import imagetool_bench

@Suite struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    func completionPrintsAScriptWithEveryVisibleCommandAndOption(_ shell: String) throws {
        let run = try ToolRun("completion", shell)

        #expect(run.exitCode == 0 && run.errors.isEmpty)
        #expect(
            run.text.hasPrefix(
                "\(shell == "zsh" ? "#compdef imagetool\n" : "")# Completion of imagetool for \(shell).\n"))
        for command in CompletionCommands(ImageTool.self).commands {
            #expect(run.text.contains("'\(command.path)'"), "\(command.path)")
            for name in command.options.flatMap(\.names) { #expect(run.text.contains(name.bare), "\(name.text)") }
        }
        #expect(!run.text.contains("grace-milliseconds"))
    }

    @Test(
        arguments: [
            (["--generate-completion-script", "fish"], "fish"),
            (["info", "--generate-completion-script=bash"], "bash"),
            (["--bad", "--generate-completion-script", "zsh"], "zsh"),
        ])
    func earlierSpellingPrintsTheSameScript(_ arguments: [String], _ shell: String) throws {
        #expect(try ToolRun(arguments).text == ToolRun("completion", shell).text)
    }

    @Test func unknownShellExitsWith64() throws {
        let earlier = try ToolRun("--generate-completion-script", "tcsh")
        let run = try ToolRun("completion", "tcsh")

        #expect(
            earlier.exitCode == 64 && earlier.errors.hasPrefix("Error: Can't generate completion scripts for 'tcsh'.\n")
        )
        #expect(run.exitCode == 64 && run.errors.contains("Please provide one of 'zsh', 'bash' or 'fish'."))
    }

    /// The words before the cursor, the last of which is completed, and the completions.
    @Test(
        arguments: [
            ("imagetool c", "convert contact-sheet compare cache completion"),
            ("imagetool cache ''", "stat verify gc clear purge"),
            ("imagetool cache stat --", "--json --version --help"), ("imagetool decode --format p", "pam png"),
            ("imagetool decode -o nam", "name.png"), ("imagetool decode --strict nam", "name.png"),
            ("imagetool help ca", "cache"), ("imagetool completion f", "fish"), ("imagetool pipe ''", ""),
        ])
    func bashCompletesCommandsOptionsValuesAndFiles(_ line: String, _ expected: String) throws {
        let folder = try TemporaryFolder()
        try folder.write([], to: "name.png")
        let script = """
            cd '\(folder.path)' && source <("$TOOL" completion bash) || exit 1
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _imagetool; echo "${COMPREPLY[*]}"
            """
        try folder.write(Array(script.utf8), to: "script")

        let run = try ToolRun(shell: "bash '\(folder.path("script"))'")

        #expect(run.errors.isEmpty)
        #expect(run.text == expected + "\n")
    }

    /// A name that two declarations use would always select the first.
    @Test func everyCommandDeclaresEachNameOnceAndHasHelp() {
        for root in [ImageTool.self, ImageToolBench.self] as [any ParsableCommand.Type] {
            var commands: [any ParsableCommand.Type] = [root]
            while let command = commands.popLast() {
                commands += command.configuration.subcommands
                let set = ArgumentSet(command.init())
                let names = set.definitions.flatMap(\.names)
                #expect(Set(names).count == names.count, "\(command)")
                #expect(set.definitions.allSatisfy { $0.help.isHidden != !$0.help.abstract.isEmpty }, "\(command)")
                #expect(!command.configuration.abstract.isEmpty, "\(command)")
            }
        }
    }
}
