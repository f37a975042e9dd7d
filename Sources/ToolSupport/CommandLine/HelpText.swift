#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command with its arguments in one line.
struct Usage {
    /// More arguments are abbreviated as `<options>`.
    private static let maxCount = 12

    /// Names of the command and of the commands above it.
    let command: String
    private let definitions: [ArgumentDefinition]
    private let hasSubcommands: Bool

    init(stack: [any ParsableArguments.Type]) {
        command = stack.compactMap { ($0 as? any ParsableCommand.Type)?.configuration.commandName }
            .joined(separator: " ")
        definitions = stack.last.map { ArgumentSet($0.init()).definitions } ?? []
        hasSubcommands = !CommandLineParser.subcommands(of: stack).isEmpty
    }

    func line(includesHidden: Bool = false) -> String {
        let shown = definitions.filter { includesHidden || !$0.help.isHidden }
        var parts = [command]
        if shown.count <= Self.maxCount {
            parts += shown.map(\.usage)
        } else {
            let required = shown.filter { $0.form == .positional || $0.isRequired }
            parts += required.isEmpty ? ["<options>"] : ["[<options>]"] + required.map(\.usage)
        }
        if hasSubcommands { parts.append("<subcommand>") }
        return parts.joined(separator: " ")
    }
}

extension ArgumentDefinition {
    fileprivate var usage: String {
        var text = "<\(valueName)>"
        if let preferredName { text = form == .flag ? preferredName.text : "\(preferredName.text) \(text)" }
        if isRepeating { text += " ..." }
        return isRequired ? text : "[\(text)]"
    }
}

/// Help of a command.
struct HelpText {
    /// Column of the abstracts.
    private static let abstractColumn = 26
    /// Column of the additional paragraphs of an option.
    private static let discussionColumn = 8

    let stack: [any ParsableArguments.Type]
    let includesHidden: Bool
    /// Columns of the terminal. Texts are empty where no column is left for them.
    let columns: Int

    var text: String {
        let usage = Usage(stack: stack)
        let configuration = (stack.last as? any ParsableCommand.Type)?.configuration
        var blocks: [String] = []
        if let configuration, !configuration.abstract.isEmpty {
            var overview = "OVERVIEW: " + configuration.abstract
            if !configuration.discussion.isEmpty { overview += "\n\n" + configuration.discussion }
            blocks.append(overview.wrapped(columns) + "\n")
        }
        blocks.append("USAGE: " + usage.line(includesHidden: includesHidden) + "\n")

        let definitions = (stack.last.map { ArgumentSet($0.init()).definitions } ?? [])
            .filter { includesHidden || !$0.help.isHidden }
        blocks.append(section("ARGUMENTS", definitions.filter { $0.form == .positional }.map(entry)))
        blocks.append(section("OPTIONS", definitions.filter { $0.form != .positional }.map(entry) + builtInEntries))
        let subcommands = CommandLineParser.subcommands(of: stack).map { $0.configuration }
        blocks.append(
            section(
                "SUBCOMMANDS",
                subcommands.filter { $0.shouldDisplay || includesHidden && $0.commandName != "help" }.map {
                    entry($0.commandName, $0.abstract)
                }))
        var text = blocks.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
        if !subcommands.isEmpty {
            let path = usage.command.split(separator: " ")
            let command = ([path[0], "help"] + path.dropFirst()).joined(separator: " ")
            text += "  See '\(command) <subcommand>' for detailed help.\n"
        }
        return text
    }

    private var builtInEntries: [String] {
        var entries: [String] = []
        if CommandLineError.version(of: stack) != nil { entries.append(entry("--version", "Show the version.")) }
        if !(stack.last is HelpCommand.Type) { entries.append(entry("-h, --help", "Show help information.")) }
        return entries
    }

    private func section(_ title: String, _ entries: [String]) -> String {
        entries.isEmpty ? "" : "\(title):\n" + entries.joined()
    }

    private func entry(_ definition: ArgumentDefinition) -> String {
        let texts = Self.texts(definition)
        return entry(texts.label, texts.abstract, texts.discussion)
    }

    /// Label, abstract and discussion of each visible argument and option.
    var definitionEntries: [(label: String, abstract: String, discussion: String)] {
        let definitions = stack.last.map { ArgumentSet($0.init()).definitions } ?? []
        return definitions.filter { includesHidden || !$0.help.isHidden }.map(Self.texts)
    }

    private static func texts(
        _ definition: ArgumentDefinition
    ) -> (label: String, abstract: String, discussion: String) {
        var label = definition.names.map(\.text).joined(separator: ", ")
        if definition.form == .option { label += " " }
        if definition.form != .flag { label += "<\(definition.valueName)>" }
        var notes: [String] = []
        if !definition.values.isEmpty { notes.append("values: " + definition.values.joined(separator: ", ")) }
        if let text = definition.defaultText { notes.append("default: " + text) }
        let note = notes.isEmpty ? [] : ["(\(notes.joined(separator: "; ")))"]
        let abstract = ([definition.help.abstract].filter { !$0.isEmpty } + note).joined(separator: " ")
        return (label, abstract, definition.help.discussion)
    }

    private func entry(_ label: String, _ abstract: String, _ discussion: String = "") -> String {
        var text = "  " + label
        let wrapped = abstract.wrapped(columns, indent: Self.abstractColumn)
        if text.count < Self.abstractColumn {
            text += wrapped.dropFirst(text.count)
        } else if !abstract.isEmpty {
            text += "\n" + wrapped
        }
        if !discussion.isEmpty { text += "\n" + discussion.wrapped(columns, indent: Self.discussionColumn) }
        return text + "\n"
    }
}

extension String {
    /// The lines of this text, broken at spaces, each with `indent` spaces before it and a space or line break after it
    /// within `columns` characters; the last line of the text may fill all columns.
    ///
    /// A longer word is a line of its own; without a column for the text, the result is empty.
    func wrapped(_ columns: Int, indent: Int = 0) -> String {
        guard columns > indent else { return "" }
        let width = columns - indent
        var lines: [String] = []
        let paragraphs = split(separator: "\n", omittingEmptySubsequences: false)
        for (number, paragraph) in paragraphs.enumerated() {
            let words = paragraph.split(separator: " ")
            var line = ""
            for (index, word) in words.enumerated() {
                let isLast = number == paragraphs.count - 1 && index == words.count - 1
                if !line.isEmpty, line.count + 1 + word.count > (isLast ? width : width - 1) {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            lines.append(line)
        }
        let margin = String(repeating: " ", count: indent)
        return lines.map { $0.isEmpty ? "" : margin + $0 }.joined(separator: "\n")
    }
}

extension Terminal {
    /// Width of the help: the environment variable COLUMNS, then the width of the terminal, then 80.
    static var helpColumns: Int {
        getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? columns ?? 80
    }
}
