/// `help COMMAND`: prints the help of a command.
struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "help", abstract: "Show subcommand help information.", shouldDisplay: false)

    @Argument var subcommands: [String] = []
    /// Same as without it: help about help is the help of the command.
    @Flag(name: [.short, .long, .customSingleDash("help")], help: .hidden) var help = false
    @Flag(help: "Print the manual page of all commands, for man.") var man = false

    /// The commands that the arguments name, as far as they exist.
    func commands(below root: any ParsableArguments.Type) -> [any ParsableArguments.Type] {
        var stack = [root]
        for name in subcommands {
            let next = CommandLineParser.subcommands(of: stack).first { $0.configuration.commandName == name }
            guard let next else { break }
            stack.append(next)
        }
        return stack
    }
}

/// `completion SHELL`: prints a completion script.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Prints a script that completes commands and options in a shell.",
        discussion: """
            For bash, add this line to ~/.bashrc: source <(PROGRAM completion bash)
            For zsh, write the output to a file _PROGRAM in a folder of fpath.
            For fish, write the output to ~/.config/fish/completions/PROGRAM.fish.
            """,
        shouldDisplay: false)

    @Argument(help: "Shell: bash, zsh or fish.") var shell: CompletionShell
}

/// Shells with completion scripts.
enum CompletionShell: String, CaseIterable, ExpressibleByArgument, Sendable {
    case zsh, bash, fish

    /// - Parameter name: Name of the shell; `nil` for the shell of the environment variable SHELL.
    init?(name: String?) {
        self.init(rawValue: name ?? Self.environmentName ?? "")
    }
}
