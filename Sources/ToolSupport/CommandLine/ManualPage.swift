/// Manual page of a program with all its commands, in the macros of man(7), made from the help texts.
struct ManualPage {
    private let root: any ParsableArguments.Type

    init(_ root: any ParsableArguments.Type) { self.root = root }

    var text: String {
        let configuration = (root as? any ParsableCommand.Type)?.configuration
        let name = configuration?.commandName ?? ""
        let version = Self.quoted("\(name) \(configuration?.version ?? "")")
        let abstract = Self.escaped(Self.sentence(configuration?.abstract ?? ""))
        var text = ".TH \(Self.quoted(name.uppercased())) 1 \"\" \(version)\n"
        text += ".SH NAME\n\(Self.escaped(name)) \\- \(abstract)\n"
        text += ".SH SYNOPSIS\n.B \(Self.escaped(Usage(stack: [root]).line()))\n"
        text += ".SH DESCRIPTION\n\(Self.paragraphs(configuration?.discussion ?? ""))"
        text += ".SH OPTIONS\n\(options([root]))"
        text += ".SH COMMANDS\n"
        for stack in commands(below: [root]) { text += section(stack) }
        return text
    }

    /// The visible commands, each after the command that contains it.
    private func commands(below stack: [any ParsableArguments.Type]) -> [[any ParsableArguments.Type]] {
        CommandLineParser.subcommands(of: stack).filter {
            $0.configuration.shouldDisplay || $0 == CompletionCommand.self || $0 == HelpCommand.self
        }.flatMap { command -> [[any ParsableArguments.Type]] in
            let own = stack + [command as any ParsableArguments.Type]
            return [own] + commands(below: own)
        }
    }

    private func section(_ stack: [any ParsableArguments.Type]) -> String {
        guard let configuration = (stack.last as? any ParsableCommand.Type)?.configuration else { return "" }
        let usage = Usage(stack: stack)
        return ".SS \(Self.quoted(usage.command))\n.B \(Self.escaped(usage.line()))\n"
            + Self.paragraphs(configuration.abstract) + Self.paragraphs(configuration.discussion) + options(stack)
    }

    private func options(_ stack: [any ParsableArguments.Type]) -> String {
        let help = HelpText(stack: stack, includesHidden: false, columns: .max)
        return help.definitionEntries.map { entry -> String in
            let texts = [entry.abstract, entry.discussion].filter { !$0.isEmpty }.map { Self.line($0) }
            return ".TP\n.B \(Self.escaped(entry.label))\n" + texts.joined(separator: ".sp\n")
        }.joined()
    }

    /// The text without the period at its end, as the line of NAME has it.
    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

    private static func paragraphs(_ text: String) -> String {
        text.split(separator: "\n").map { ".PP\n" + line($0) }.joined()
    }

    /// A line of text: a period or an apostrophe at its beginning would be a request.
    private static func line(_ text: some StringProtocol) -> String {
        let escaped = escaped(text)
        return (escaped.first == "." || escaped.first == "'" ? "\\&" : "") + escaped + "\n"
    }

    private static func quoted(_ text: String) -> String { "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\"" }

    /// Escapes backslashes and dashes: an unescaped dash is a hyphen, which a search for an option does not find.
    private static func escaped(_ text: some StringProtocol) -> String {
        String(text).replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
    }
}
