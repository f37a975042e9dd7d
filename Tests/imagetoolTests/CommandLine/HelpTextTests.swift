import Testing

@testable import PlatformImageToolSupport

@Suite struct HelpTextTests {
    @Test func helpListsArgumentsOptionsValuesAndDefaults() {
        let output = sampleMessage(["sample", "--help"]).message?.output

        #expect(
            output == """
                OVERVIEW: Prints a sample.

                USAGE: tool sample <first> [<others> ...] [--jobs <jobs>] [--output <output>] [--tag <tag> ...] \
                [--mode <mode>] [--even <even>] [--recursive] [--quiet] [--json] [--lines] [--max-bytes <max-bytes>]

                ARGUMENTS:
                  <first>                 First file.
                  <others>                Other files.

                OPTIONS:
                  -j, --jobs <jobs>       Number of threads. (default: 1)
                  -o, --output <output>   Output file.
                  --tag <tag>             A tag; may be repeated.
                  --mode <mode>           Mode. (values: slow, fast, auto; default: auto)
                  --even <even>           An even number.
                  -r, --recursive         Include subfolders.
                  -q, --quiet             Print nothing.
                  --json                  Print json.
                  -l, --lines             Print lines.
                  --max-bytes <max-bytes> Upper limit.
                  --version               Show the version.
                  -h, --help              Show help information.


                """)
    }

    @Test func hiddenOptionsAndCommandsAreListedOnlyByHelpHidden() {
        let texts = [["sample", "--help"], ["sample", "--help-hidden"], ["--help"], ["--help-hidden"]].map {
            sampleMessage($0).message?.output ?? ""
        }

        #expect(texts.map { $0.contains("\n  --secret <secret>\n") } == [false, true, false, false])
        #expect(texts.map { $0.contains("\n  internal   ") } == [false, false, false, true])
        #expect(texts.map { $0.contains("\n  completion   ") } == [false, false, false, true])
        #expect(texts.allSatisfy { !$0.contains("\n  help   ") })
    }

    @Test func groupsListTheirCommandsAndReferToHelp() {
        #expect(
            sampleMessage(["group", "-h"]).message?.output == """
                OVERVIEW: A group.

                USAGE: tool group <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  member                  A member.

                  See 'tool help group <subcommand>' for detailed help.

                """)
    }

    @Test(
        arguments: [
            // A line that is not the last must leave a column for the space after it.
            ("aaa bbb ccc", 11, "aaa bbb ccc"), ("aaa bbb ccc", 10, "aaa bbb\nccc"), ("aaa bbb ccc", 8, "aaa bbb\nccc"),
            ("aaa bbb ccc", 7, "aaa\nbbb ccc"), ("aaa bbb ccc", 3, "aaa\nbbb\nccc"),
            ("aaa bbb ccc", 1, "aaa\nbbb\nccc"),
            ("long-word a", 4, "long-word\na"), ("a long-word", 4, "a\nlong-word"), ("", 10, ""), ("aaa", 0, ""),
            ("aaa", -5, ""), ("a\nb", 10, "a\nb"), ("a\n\nb c", 2, "a\n\nb\nc"), ("aaa bbb\nc", 7, "aaa\nbbb\nc"),
        ])
    func linesAreBrokenAtSpaces(_ text: String, _ columns: Int, _ expected: String) {
        #expect(text.wrapped(columns) == expected)
        #expect(
            text.wrapped(columns + 3, indent: 3)
                == expected.split(separator: "\n", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? "" : "   " + $0 }.joined(separator: "\n"))
    }

    @Test(arguments: [Int.min, -1, 0, 1, 8, 26, 27, 40, 80, 1_000, .max])
    func helpOfEveryWidthContainsAllLabels(_ columns: Int) {
        let output = sampleMessage(["sample", "--help"], columns: columns).message?.output ?? ""

        for label in ["USAGE: tool sample", "  <first>", "  --max-bytes <max-bytes>", "  -h, --help"] {
            #expect(output.contains(label), "\(label)")
        }
        #expect(output.contains("Upper") == (columns > 26))
    }

    @Test(arguments: [(1, false), (12, false), (13, true), (14, true)])
    func moreThanTwelveArgumentsAreAbbreviatedInTheUsage(_ count: Int, _ isAbbreviated: Bool) {
        let types: [Int: any ParsableCommand.Type] = [
            1: One.self, 12: Twelve.self, 13: Thirteen.self, 14: Fourteen.self,
        ]
        guard let type = types[count] else { return }

        let usage = Usage(stack: [type]).line()

        #expect(usage.contains("<options>") == isAbbreviated)
        #expect(usage.contains("--required <required>") == (count == 14), "\(usage)")
    }

    struct One: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "one")
        @Flag var one = false
    }
    struct Eleven: ParsableArguments {
        @Flag var one = false
        @Flag var two = false
        @Flag var three = false
        @Flag var four = false
        @Flag var five = false
        @Flag var six = false
        @Flag var seven = false
        @Flag var eight = false
        @Flag var nine = false
        @Flag var ten = false
        @Option(help: .hidden) var hidden: String?
        @Option var eleven = "x"
    }
    struct Twelve: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "twelve")
        @OptionGroup var eleven: Eleven
        @Flag var twelve = false
    }
    struct Thirteen: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "thirteen")
        @OptionGroup var eleven: Eleven
        @Flag var twelve = false
        @Flag var thirteen = false
    }
    struct Fourteen: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "fourteen")
        @OptionGroup var eleven: Eleven
        @Flag var twelve = false
        @Flag var thirteen = false
        @Option() var required: Int
    }
}
