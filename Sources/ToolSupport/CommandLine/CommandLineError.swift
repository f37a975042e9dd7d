/// Reason why parsing returned no command: an error, or a request for help or the version.
package struct CommandLineError: Error {
    enum Reason: Sendable {
        /// `help` is the abstract of the argument that the message is about.
        case usage(String, help: String?)
        case help(includesHidden: Bool)
        case version(String)
        case completionScript(CompletionShell)
        /// `help --man`
        case manualPage
    }

    /// The command and its subcommands that were selected.
    let stack: [any ParsableArguments.Type]
    let reason: Reason

    /// Text of a usage error; empty for the other reasons.
    var message: String {
        if case .usage(let message, _) = reason { message } else { "" }
    }

    /// Version of the innermost command that has one.
    static func version(of stack: [any ParsableArguments.Type]) -> String? {
        stack.reversed().lazy.compactMap { ($0 as? any ParsableCommand.Type)?.configuration.version }
            .first { !$0.isEmpty }
    }
}

/// Output and exit code of a command that ends with an error, or with a request for help or the version.
package struct CommandMessage {
    package let exitCode: Int32
    /// Text for stdout.
    package let output: String
    /// Text for stderr.
    package let errors: String

    /// - Parameters:
    ///   - error: Error of parsing or of the command.
    ///   - root: The command of the program.
    ///   - columns: Width of the help.
    package init(_ error: any Error, root: any ParsableCommand.Type, columns: Int) {
        switch error {
        case let error as CommandLineError: self.init(error, columns)
        case let error as HelpRequest:
            let stack = Self.stack(to: error.command, below: [root]) ?? [error.command]
            self.init(CommandLineError(stack: stack, reason: .help(includesHidden: false)), columns)
        case let error as ExitCode: self.init(error.rawValue)
        case let error as ValidationError:
            self.init(CommandLineError(stack: [root], reason: .usage(error.message, help: nil)), columns)
        default: self.init(1, errors: "Error: \(String(describing: error))\n")
        }
    }

    private init(_ error: CommandLineError, _ columns: Int) {
        switch error.reason {
        case .usage(let message, let help):
            let usage = Usage(stack: error.stack)
            var lines = ["Error: " + message]
            if let help { lines.append("Help:  " + help) }
            lines.append("Usage: " + usage.line())
            if !(error.stack.last is HelpCommand.Type) {
                lines.append("  See '\(usage.command) --help' for more information.")
            }
            self.init(SystemExit.usage.rawValue, errors: lines.joined(separator: "\n") + "\n")
        case .help(let includesHidden):
            let help = HelpText(stack: error.stack, includesHidden: includesHidden, columns: columns)
            self.init(0, output: help.text)
        case .version(let version): self.init(0, output: version + "\n")
        case .manualPage: self.init(0, output: ManualPage(error.stack[0]).text)
        case .completionScript(let shell): self.init(0, output: shell.script(for: CompletionCommands(error.stack[0])))
        }
    }

    private init(_ exitCode: Int32, output: String = "", errors: String = "") {
        self.exitCode = exitCode
        self.output = output
        self.errors = errors
    }

    private static func stack(
        to command: any ParsableCommand.Type, below stack: [any ParsableArguments.Type]
    ) -> [any ParsableArguments.Type]? {
        if stack.last == command { return stack }
        return CommandLineParser.subcommands(of: stack).lazy.compactMap { Self.stack(to: command, below: stack + [$0]) }
            .first
    }
}
