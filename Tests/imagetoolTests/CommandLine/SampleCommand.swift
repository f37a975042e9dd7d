@testable import PlatformImageToolSupport

/// A command with every kind of declaration, for the tests of the command line.
struct SampleCommand: ParsableCommand {
    enum Mode: String, CaseIterable, ExpressibleByArgument { case slow, fast, auto }

    enum Style: EnumerableFlag {
        case json, lines

        static func name(for value: Self) -> NameSpecification { value == .json ? .long : [.customShort("l"), .long] }
        static func help(for value: Self) -> ArgumentHelp? { "Print \(value)." }
    }

    struct Limits: ParsableArguments {
        @Option(help: "Upper limit.") var maxBytes: Int?

        func validate() throws {
            if let maxBytes, maxBytes < 0 { throw ValidationError("--max-bytes must be 0 or more.") }
        }
    }

    static let configuration = CommandConfiguration(commandName: "sample", abstract: "Prints a sample.")

    @Argument(help: "First file.") var first: String
    @Argument(help: "Other files.") var others: [String] = []
    @Option(name: .shortAndLong, help: "Number of threads.") var jobs = 1
    @Option(name: .shortAndLong, help: "Output file.") var output: String?
    @Option(help: "A tag; may be repeated.") var tag: [String] = []
    @Option(help: "Mode.") var mode = Mode.auto
    @Option(
        help: "An even number.",
        transform: { text in
            guard let number = Int(text), number.isMultiple(of: 2) else {
                throw ValidationError("'\(text)' is not even")
            }
            return number
        })
    var even: Int?
    @Flag(name: .shortAndLong, help: "Include subfolders.") var recursive = false
    @Flag(name: .shortAndLong, help: "Print nothing.") var quiet = false
    @Flag(exclusivity: .exclusive) var style: Style?
    @Option(help: .hidden) var secret: String?
    @OptionGroup var limits: Limits

    func validate() throws {
        if jobs < 1 { throw ValidationError("--jobs must be 1 or more.") }
    }

    func run() throws {}

    /// The values that differ from the defaults.
    var summary: String {
        var parts = ([first] + others).map { $0.isEmpty ? "''" : $0 }
        if jobs != 1 { parts.append("jobs=\(jobs)") }
        if let output { parts.append("output=\(output)") }
        if !tag.isEmpty { parts.append("tag=\(tag.joined(separator: "+"))") }
        if mode != .auto { parts.append("mode=\(mode)") }
        if let even { parts.append("even=\(even)") }
        if recursive { parts.append("recursive") }
        if quiet { parts.append("quiet") }
        if let style { parts.append("style=\(style)") }
        if let secret { parts.append("secret=\(secret)") }
        if let bytes = limits.maxBytes { parts.append("maxBytes=\(bytes)") }
        return parts.joined(separator: " ")
    }
}

/// A program with subcommands in two levels.
struct SampleTool: ParsableCommand {
    struct Group: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "group", abstract: "A group.", subcommands: [Member.self])
    }

    struct Member: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "member", abstract: "A member.")
        func run() throws {}
    }

    struct Internal: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "internal", abstract: "For tests.", shouldDisplay: false)
        func run() throws {}
    }

    static let configuration = CommandConfiguration(
        commandName: "tool", abstract: "A tool.", version: "1.2",
        subcommands: [SampleCommand.self, Group.self, Internal.self])
}

/// Outcome of a call of ``SampleTool``: `summary` of a command that would run, otherwise the message.
func sampleMessage(_ arguments: [String], columns: Int = 80) -> (summary: String?, message: CommandMessage?) {
    do {
        var command = try SampleTool.parseAsRoot(arguments)
        if let sample = command as? SampleCommand { return (sample.summary, nil) }
        try command.run()
        return ("\(type(of: command))", nil)
    } catch {
        return (nil, CommandMessage(error, root: SampleTool.self, columns: columns))
    }
}
