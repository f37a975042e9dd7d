#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The commands of a program, as completion scripts need them.
struct CompletionCommands {
    struct Command {
        /// Names of the command and of the commands above it: `imagetool cache stat`.
        let path: String
        /// Names and abstracts.
        let subcommands: [(name: String, abstract: String)]
        let options: [Option]
        /// True when the command has positional arguments, which are files.
        let acceptsFiles: Bool
    }

    struct Option {
        let names: [ArgumentName]
        let abstract: String
        let takesValue: Bool
        /// Listed values; empty for values that are completed as files.
        let values: [String]
    }

    let program: String
    private(set) var commands: [Command] = []

    init(_ root: any ParsableArguments.Type) {
        program = (root as? any ParsableCommand.Type)?.configuration.commandName ?? ""
        add([root])
    }

    private mutating func add(_ stack: [any ParsableArguments.Type]) {
        guard let last = stack.last else { return }
        let subcommands = CommandLineParser.subcommands(of: stack)
        let definitions = ArgumentSet(last.init()).definitions.filter { !$0.help.isHidden }
        var options = definitions.filter { $0.form != .positional }.map { definition in
            Option(
                names: definition.names, abstract: definition.help.abstract, takesValue: definition.form == .option,
                values: definition.values)
        }
        options.append(.init(names: [.long("version")], abstract: "Show the version.", takesValue: false, values: []))
        options.append(
            .init(
                names: [.short("h"), .long("help")], abstract: "Show help information.", takesValue: false, values: []))
        commands.append(
            Command(
                path: Usage(stack: stack).command,
                subcommands: subcommands.map { ($0.configuration.commandName, $0.configuration.abstract) },
                options: options, acceptsFiles: definitions.contains { $0.form == .positional }))
        for subcommand in subcommands { add(stack + [subcommand]) }
    }

    /// Paths of all commands but the program, as alternatives of a `case`.
    fileprivate func paths(separator: String) -> String {
        commands.dropFirst().map { "'\($0.path)'" }.joined(separator: separator)
    }

    /// Name of the shell functions.
    fileprivate var function: String { "_" + program.map { $0.isLetter || $0.isNumber ? $0 : "_" } }
}

extension CompletionShell {
    /// Name of the shell in the environment variable SHELL.
    static var environmentName: String? {
        getenv("SHELL").map { String(String(cString: $0).lastPathComponent) }
    }

    /// The script for the commands of a program.
    func script(for commands: CompletionCommands) -> String {
        switch self {
        case .bash: Self.bash(commands)
        case .zsh: Self.zsh(commands)
        case .fish: Self.fish(commands)
        }
    }

    private static func bash(_ commands: CompletionCommands) -> String {
        var valueCases = ""
        var wordCases = ""
        for command in commands.commands {
            for option in command.options where option.takesValue {
                let patterns = option.names.map { "'\(command.path) \($0.text)'" }.joined(separator: " | ")
                let words = option.values.joined(separator: "\\n")
                valueCases += "        \(patterns)) values=$'\(words)' ;;\n"
            }
            let names = command.options.flatMap(\.names).map(\.text).joined(separator: "\\n")
            let subcommands = command.subcommands.map(\.name).joined(separator: "\\n")
            wordCases += "        '\(command.path)') options=$'\(names)' words=$'\(subcommands)' ;;\n"
        }
        return """
            # Completion of \(commands.program) for bash.
            \(commands.function)() {
                local IFS=$'\\n' current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
                local path='\(commands.program)' options='' words='' values='none' index
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "$path ${COMP_WORDS[index]}" in
                    \(commands.paths(separator: " | "))) path="$path ${COMP_WORDS[index]}" ;;
                    esac
                done
                case "$path $previous" in
            \(valueCases)    esac
                case "$path" in
            \(wordCases)    esac
                COMPREPLY=()
                if [[ $values != none && -n $values ]]; then
                    COMPREPLY=($(compgen -W "$values" -- "$current"))
                elif [[ $values != none ]]; then
                    compopt -o filenames 2>/dev/null
                    COMPREPLY=($(compgen -f -- "$current"))
                elif [[ $current == -* ]]; then
                    COMPREPLY=($(compgen -W "$options" -- "$current"))
                elif [[ -n $words ]]; then
                    COMPREPLY=($(compgen -W "$words" -- "$current"))
                else
                    compopt -o filenames 2>/dev/null
                    COMPREPLY=($(compgen -f -- "$current"))
                fi
            }
            complete -F \(commands.function) \(commands.program)

            """
    }

    private static func zsh(_ commands: CompletionCommands) -> String {
        func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
        func described(_ name: String, _ abstract: String) -> String {
            quoted(abstract.isEmpty ? name : "\(name):\(abstract)")
        }
        var valueCases = ""
        var wordCases = ""
        for command in commands.commands {
            for option in command.options where option.takesValue {
                let patterns = option.names.map { "\(quoted("\(command.path) \($0.text)"))" }.joined(separator: "|")
                let action =
                    option.values.isEmpty
                    ? "_files" : "compadd -- " + option.values.map(quoted).joined(separator: " ")
                valueCases += "        \(patterns)) \(action); return ;;\n"
            }
            let options = command.options.flatMap { option in
                option.names.map { described($0.text, option.abstract) }
            }
            let subcommands = command.subcommands.map { described($0.name, $0.abstract) }
            wordCases += """
                        \(quoted(command.path)))
                            options=(\(options.joined(separator: " ")))
                            subcommands=(\(subcommands.joined(separator: " "))) ;;

                """
        }
        return """
            #compdef \(commands.program)
            # Completion of \(commands.program) for zsh.
            \(commands.function)() {
                local place=\(quoted(commands.program)) index
                local -a options subcommands
                for ((index = 2; index < CURRENT; index++)); do
                    case "$place ${words[index]}" in
                    \(commands.paths(separator: "|"))) place="$place ${words[index]}" ;;
                    esac
                done
                case "$place ${words[CURRENT - 1]}" in
            \(valueCases)    esac
                case "$place" in
            \(wordCases)    esac
                if [[ ${words[CURRENT]} == -* ]]; then
                    _describe option options
                elif (( ${#subcommands} )); then
                    _describe command subcommands
                else
                    _files
                fi
            }
            compdef \(commands.function) \(commands.program)

            """
    }

    private static func fish(_ commands: CompletionCommands) -> String {
        func quoted(_ text: String) -> String {
            "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        }
        var lines: [String] = []
        for command in commands.commands {
            let condition = "complete -c \(commands.program) -n \(quoted("_\(commands.function)_at '\(command.path)'"))"
            for (name, abstract) in command.subcommands {
                lines.append("\(condition) -f -a \(quoted(name)) -d \(quoted(abstract))")
            }
            if !command.acceptsFiles { lines.append("\(condition) -f") }
            for option in command.options {
                let names = option.names.map { name in
                    switch name {
                    case .long(let name): "-l \(quoted(name))"
                    case .short(let letter): "-s \(quoted(String(letter)))"
                    case .singleDash(let name): "-o \(quoted(name))"
                    }
                }
                var line = "\(condition) \(names.joined(separator: " "))"
                if option.takesValue {
                    line += option.values.isEmpty ? " -r -F" : " -x -a \(quoted(option.values.joined(separator: " ")))"
                }
                lines.append(option.abstract.isEmpty ? line : "\(line) -d \(quoted(option.abstract))")
            }
        }
        return """
            # Completion of \(commands.program) for fish.
            function _\(commands.function)_at
                set -l place \(quoted(commands.program))
                for word in (commandline -opc)[2..-1]
                    if contains -- "$place $word" \(commands.paths(separator: " "))
                        set place "$place $word"
                    end
                end
                test "$place" = "$argv[1]"
            end
            \(lines.joined(separator: "\n"))

            """
    }
}
