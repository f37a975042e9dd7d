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
        /// Subcommands, or listed values of a positional argument, with their abstracts.
        let words: [(word: String, abstract: String)]
        let options: [Option]
        /// True when the command has positional arguments without listed values, which are files.
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
        options.append(Option(names: [.long("version")], abstract: "Show the version.", takesValue: false, values: []))
        options.append(
            Option(
                names: [.short("h"), .long("help")], abstract: "Show help information.", takesValue: false, values: []))
        let positionals = definitions.filter { $0.form == .positional }
        // The arguments of help are commands.
        let named = last is HelpCommand.Type ? CommandLineParser.subcommands(of: [stack[0]]) : subcommands
        let words = named.map { (word: $0.configuration.commandName, abstract: $0.configuration.abstract) }
        commands.append(
            Command(
                path: Usage(stack: stack).command,
                words: words + positionals.flatMap(\.values).map { (word: $0, abstract: "") }, options: options,
                acceptsFiles: words.isEmpty && positionals.contains { $0.values.isEmpty }))
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
            let words = command.words.map(\.word).joined(separator: "\\n")
            let files = command.acceptsFiles ? " files=1" : ""
            wordCases += "        '\(command.path)') options=$'\(names)' words=$'\(words)'\(files) ;;\n"
        }
        return """
            # Completion of \(commands.program) for bash.
            \(commands.function)() {
                local IFS=$'\\n' current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
                local path='\(commands.program)' options='' words='' files='' values='none' index
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
                elif [[ -n $files ]]; then
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
            let words = command.words.map { described($0.word, $0.abstract) }
            wordCases += """
                        \(quoted(command.path)))
                            options=(\(options.joined(separator: " ")))
                            arguments=(\(words.joined(separator: " ")))
                            files=\(command.acceptsFiles ? 1 : 0) ;;

                """
        }
        return """
            #compdef \(commands.program)
            # Completion of \(commands.program) for zsh.
            \(commands.function)() {
                local place=\(quoted(commands.program)) files=0 index
                local -a options arguments
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
                elif (( ${#arguments} )); then
                    _describe argument arguments
                elif (( files )); then
                    _files
                fi
            }
            # In a folder of fpath, the first completion runs this file as the function.
            if [[ ${funcstack[1]} == \(commands.function) ]]; then
                \(commands.function)
            else
                compdef \(commands.function) \(commands.program)
            fi

            """
    }

    private static func fish(_ commands: CompletionCommands) -> String {
        func quoted(_ text: String) -> String {
            "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        }
        var lines: [String] = []
        for command in commands.commands {
            let condition = "complete -c \(commands.program) -n \(quoted("_\(commands.function)_at '\(command.path)'"))"
            for (word, abstract) in command.words {
                lines.append("\(condition) -f -a \(quoted(word)) -d \(quoted(abstract))")
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
