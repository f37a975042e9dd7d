import Testing

@testable import PlatformImageToolSupport

@Suite struct CommandLineParserTests {
    @Test(
        arguments: [
            // Forms of an option with a value.
            ("a --jobs 5", "a jobs=5"), ("a --jobs=5", "a jobs=5"), ("a -j 5", "a jobs=5"), ("a -j=5", "a jobs=5"),
            ("--jobs 5 a", "a jobs=5"), ("-j 5 a b", "a b jobs=5"), ("a -j +5", "a jobs=5"),
            // `--name=` has no value of its own, so the next argument is the value; `-n=` has the empty value.
            ("a --output= b", "a output=b"), ("a -o= b", "a b output="), ("a -o=x=y", "a output=x=y"),
            ("a --output==x", "a output==x"), ("a --output=-x", "a output=-x"),
            // Groups of letters: values are the arguments after the group, in the order of the letters.
            ("a -rq", "a recursive quiet"), ("a -rj 5", "a jobs=5 recursive"), ("a -jr 5", "a jobs=5 recursive"),
            ("a -oj x 5", "a jobs=5 output=x"), ("-rjq 5 a", "a jobs=5 recursive quiet"),
            ("-ql a", "a quiet style=lines"),
            // The last value wins; lists collect all values.
            ("a -j 5 --jobs 6", "a jobs=6"), ("a --tag x --tag=y --tag x", "a tag=x+y+x"), ("a -r -r", "a recursive"),
            ("a --json --json", "a style=json"),
            // Conversions.
            ("a --mode fast", "a mode=fast"), ("a --even 4", "a even=4"), ("a --max-bytes 0", "a maxBytes=0"),
            ("a --secret s", "a secret=s"),
            // Positional arguments: `-` is a value, and everything after `--`.
            ("-", "-"), ("a - b", "a - b"), ("-- -r --jobs", "-r --jobs"), ("-r -- -r", "-r recursive"),
            ("a -- --", "a --"), ("a -r b --tag t c", "a b c tag=t recursive"), ("é", "é"),
        ])
    func argumentsAreParsedToTheirValues(_ line: String, _ expected: String) {
        let arguments = line.split(separator: " ").map { String($0) }

        #expect(sampleMessage(["sample"] + arguments).summary == expected)
    }

    @Test func emptyArgumentsAreValues() {
        #expect(sampleMessage(["sample", "", " "]).summary == "''  ")
        #expect(sampleMessage(["sample", "a", "-o", ""]).summary == "a output=")
    }

    @Test(
        arguments: [
            ("", "Missing expected argument '<first>'"),
            ("a --jobs", "Missing value for '--jobs <jobs>'"), ("a -j", "Missing value for '-j <jobs>'"),
            ("a -j -5", "Missing value for '-j <jobs>'"), ("a -j -- 5", "Missing value for '-j <jobs>'"),
            ("a --jobs= --quiet", "Missing value for '--jobs <jobs>'"),
            ("a --jobs 5x", "The value '5x' is invalid for '--jobs <jobs>'"),
            ("a --jobs 99999999999999999999", "The value '99999999999999999999' is invalid for '--jobs <jobs>'"),
            ("a -j=", "The value '' is invalid for '-j <jobs>'"),
            (
                "a --mode x",
                "The value 'x' is invalid for '--mode <mode>'. Please provide one of 'slow', 'fast' or 'auto'."
            ),
            ("a --even 3", "The value '3' is invalid for '--even <even>': '3' is not even"),
            ("a --secret", "Missing value for '--secret'"),
            ("a --quiet=yes", "The option '--quiet' does not take any value, but 'yes' was specified."),
            ("a -q=", "The option '-q' does not take any value, but '' was specified."),
            ("a --json --lines", "Value to be set with flag '--lines' had already been set with flag '--json'"),
            ("a -l --json", "Value to be set with flag '--json' had already been set with flag '-l'"),
            // No abbreviations; suggestions for at most three edits, never for short or hidden options.
            ("a --quie", "Unknown option '--quie'. Did you mean '--quiet'?"),
            ("a --Quiet", "Unknown option '--Quiet'. Did you mean '--quiet'?"),
            ("a --jobs5", "Unknown option '--jobs5'. Did you mean '--jobs'?"),
            ("a --recur", "Unknown option '--recur'"), ("a --secre", "Unknown option '--secre'"),
            ("a -x", "Unknown option '-x'"), ("a -1", "Unknown option '-1'"),
            ("a --=x", "Unknown option '--'. Did you mean '--tag'?"),
            ("a -xj 5 -y", "Unknown option '-x'"), ("a -rxy", "Unknown option '-x'"),
            ("a -xyz", "Unknown option '-xyz'"),
            ("a -rq=5", "Unknown option '-rq'"),
            (
                "a -xj", "Unknown option '-xj'\n   or: Missing value for '-j <jobs>' in '-xj'"
            ),
            ("a -o5", "Unknown option '-o5'\n   or: Missing value for '-o <output>' in '-o5'"),
            ("a -=", "Invalid option: -="), ("a ---", "Invalid option: ---"), ("a ---x=1", "Invalid option: ---x=1"),
            // The order of the checks: values of options, unknown options, required arguments, validation.
            ("--bad --jobs x", "The value 'x' is invalid for '--jobs <jobs>'"),
            ("--bad", "Unknown option '--bad'. Did you mean '--tag'?"),
            ("a --bad --max-bytes=-1 -j 0", "Unknown option '--bad'. Did you mean '--tag'?"),
            ("a --bad -j 0", "Unknown option '--bad'. Did you mean '--tag'?"),
            ("a --max-bytes=-1 -j 0", "--max-bytes must be 0 or more."), ("a -j 0", "--jobs must be 1 or more."),
        ])
    func wrongArgumentsAreReported(_ line: String, _ expected: String) {
        let message = sampleMessage(["sample"] + line.split(separator: " ").map { String($0) }).message

        #expect(message?.exitCode == 64)
        #expect(message?.output == "")
        #expect(message?.errors.hasPrefix("Error: \(expected)\n") == true, "\(message?.errors ?? "")")
    }

    @Test func errorsAboutAnArgumentContainItsHelpAndTheUsageOfTheCommand() {
        let message = sampleMessage(["sample", "-j", "x"]).message

        #expect(
            message?.errors == """
                Error: The value 'x' is invalid for '-j <jobs>'
                Help:  -j <jobs>  Number of threads.
                Usage: tool sample <first> [<others> ...] [--jobs <jobs>] [--output <output>] [--tag <tag> ...] \
                [--mode <mode>] [--even <even>] [--recursive] [--quiet] [--json] [--lines] [--max-bytes <max-bytes>]
                  See 'tool sample --help' for more information.

                """)
    }

    @Test(
        arguments: [
            (["sample", "--help"], "OVERVIEW: Prints a sample."), (["sample", "-h"], "OVERVIEW: Prints a sample."),
            (["sample", "-xh", "--bad"], "OVERVIEW: Prints a sample."),
            (["sample", "--help=x", "--version"], "OVERVIEW: Prints a sample."),
            (["sample", "a", "-j", "0", "-h"], "OVERVIEW: Prints a sample."),
            (["sample", "--bad", "--version", "x"], "1.2\n"), (["--version", "sample"], "1.2\n"),
            ([], "OVERVIEW: A tool."), (["--help", "sample"], "OVERVIEW: A tool."), (["help"], "OVERVIEW: A tool."),
            (["help", "nope"], "OVERVIEW: A tool."), (["help", "-h", "nope"], "OVERVIEW: A tool."),
            (["help", "sample", "x"], "OVERVIEW: Prints a sample."), (["help", "--", "group"], "OVERVIEW: A group."),
            (["group"], "OVERVIEW: A group."), (["help", "group", "member"], "OVERVIEW: A member."),
            (["group", "member", "-h"], "OVERVIEW: A member."), (["help", "-help"], "OVERVIEW: A tool."),
            (["help", "help"], "OVERVIEW: Show subcommand help information."),
        ])
    func helpAndVersionArePrinted(_ arguments: [String], _ beginning: String) {
        let message = sampleMessage(arguments).message

        #expect(message?.exitCode == 0)
        #expect(message?.errors == "")
        #expect(message?.output.hasPrefix(beginning) == true, "\(message?.output ?? "")")
    }

    @Test(
        arguments: [
            (["sampl"], "Unexpected argument 'sampl'", "tool"),
            (["--", "sample"], "Unexpected argument 'sample'", "tool"),
            (["-x", "sample"], "Unknown option '-x'", "tool"),
            (["group", "help"], "Unexpected argument 'help'", "tool group"),
            (["group", "a", "b"], "2 unexpected arguments: 'a', 'b'", "tool group"),
            (["group", "member", "a"], "Unexpected argument 'a'", "tool group member"),
            (["sample", "a", "---"], "Invalid option: ---", "tool"),
        ])
    func unknownCommandsAreReportedWithTheUsageOfTheCommandAbove(
        _ arguments: [String], _ error: String, _ command: String
    ) {
        let message = sampleMessage(arguments).message

        #expect(message?.exitCode == 64)
        #expect(message?.errors.hasPrefix("Error: \(error)\nUsage: \(command)") == true, "\(message?.errors ?? "")")
        #expect(message?.errors.hasSuffix("\n  See '\(command) --help' for more information.\n") == true)
    }

    @Test func errorsOfHelpDoNotReferToHelp() {
        #expect(
            sampleMessage(["help", "--bad"]).message?.errors
                == "Error: Unknown option '--bad'. Did you mean '--man'?\n"
                + "Usage: tool help [<subcommands> ...] [--man]\n")
        #expect(
            sampleMessage(["help", "-h=5"]).message?.errors.hasPrefix(
                "Error: The option '-h' does not take any value, but '5' was specified.\n") == true)
    }

    @Test func copiesOfACommandHaveTheirOwnValues() throws {
        let parsed = try SampleCommand.parse(["a", "--jobs", "5"])
        var copy = parsed
        copy.jobs = 6

        #expect(parsed.jobs == 5 && copy.jobs == 6)
        #expect(try SampleCommand.parse(["b"]).jobs == 1)
    }

    @Test func errorsOfCommandsAreMessagesWithTheirExitCodes() {
        struct Unknown: Error, CustomStringConvertible { let description = "unknown" }
        func message(_ error: any Error) -> CommandMessage { CommandMessage(error, root: SampleTool.self, columns: 80) }

        #expect(message(ExitCode(74)).exitCode == 74 && message(ExitCode(74)).errors.isEmpty)
        #expect(message(Unknown()).exitCode == 1 && message(Unknown()).errors == "Error: unknown\n")
        let validation = message(ValidationError("a problem"))
        #expect(validation.exitCode == 64)
        #expect(
            validation.errors
                == "Error: a problem\nUsage: tool <subcommand>\n  See 'tool --help' for more information.\n")
    }

    @Test(
        arguments: [
            ("maxBytes", "max-bytes"), ("publicURL", "public-url"), ("iiifFiles", "iiif-files"),
            ("URLPrefix", "url-prefix"),
            ("sha256", "sha256"), ("json", "json"), ("isHTTPOnly", "is-http-only"), ("a", "a"), ("aB", "a-b"),
        ])
    func namesOfOptionsAreDerivedFromThoseOfProperties(_ property: String, _ name: String) {
        #expect(property.dashed == name)
    }

    @Test(
        arguments: [
            ("", "", 0), ("abc", "", 3), ("", "abc", 3), ("kitten", "sitting", 3), ("--json", "--json", 0),
            ("--hep", "--url", 3), ("abcd", "bcde", 2), ("é", "e", 1),
        ])
    func editDistancesAreThoseOfLevenshtein(_ first: String, _ second: String, _ distance: Int) {
        #expect(first.editDistance(to: second) == distance)
    }
}
