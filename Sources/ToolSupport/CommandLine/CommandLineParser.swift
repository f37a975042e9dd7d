/// Parses the arguments of a command and of its subcommands.
///
/// Options of a command may be anywhere among its positional arguments. Unknown options are an error after the
/// options are read, so that `--help` and `--version` work beside them, and before missing arguments; a missing or
/// invalid value of an option is an error immediately.
struct CommandLineParser {
    /// The command and its subcommands that were selected.
    private var stack: [any ParsableArguments.Type]
    /// Arguments that no declaration has used; `nil` for those that were.
    private var tokens: [CommandLineToken?] = []

    init(root: any ParsableArguments.Type) { stack = [root] }

    /// Parses arguments into a value of the root type or of one of its subcommands.
    ///
    /// - Throws: ``CommandLineError``.
    mutating func parse(_ arguments: [String]) throws(CommandLineError) -> any ParsableArguments {
        do {
            tokens = try CommandLineToken.tokens(of: arguments)
        } catch {
            throw usageError("Invalid option: \(error.argument)")
        }
        try checkForCompletionScript(arguments)
        var value = try parseLevel()
        while let subcommand = useSubcommand() {
            stack.append(subcommand)
            value = try parseLevel()
        }
        try checkForBuiltInFlags()
        if let name = tokens.lazy.compactMap({ $0?.optionName }).first {
            throw usageError(unknownOption(name, ArgumentSet(value)))
        }
        let extra = tokens.compactMap { if case .value(let text)? = $0 { text } else { nil } }
        switch extra.count {
        case 0: break
        case 1: throw usageError("Unexpected argument '\(extra[0])'")
        default:
            let list = extra.map { "'\($0)'" }.joined(separator: ", ")
            throw usageError("\(extra.count) unexpected arguments: \(list)")
        }
        if let help = value as? HelpCommand, help.man {
            throw CommandLineError(stack: [stack[0]], reason: .manualPage)
        }
        if let help = value as? HelpCommand {
            throw CommandLineError(stack: help.commands(below: stack[0]), reason: .help(includesHidden: false))
        }
        if let completion = value as? CompletionCommand {
            throw CommandLineError(stack: [stack[0]], reason: .completionScript(completion.shell))
        }
        return value
    }

    /// Parses the arguments of the last command of the stack.
    private mutating func parseLevel() throws(CommandLineError) -> any ParsableArguments {
        var value: any ParsableArguments = stack[stack.count - 1].init()
        let set = ArgumentSet(value)
        try parseOptions(set)
        try parsePositionals(set)
        do {
            for check in set.checks {
                switch check {
                case .required(let definition):
                    if !definition.isStored() {
                        throw usageError("Missing expected argument '\(definition.title())'", definition)
                    }
                case .group(let validate): try validate()
                }
            }
            try value.validate()
        } catch {
            try checkForBuiltInFlags()
            // An option that does not exist is the likely reason for the values that are missing or wrong.
            if CommandLineParser.subcommands(of: stack).isEmpty,
                let name = tokens.lazy.compactMap({ $0?.optionName }).first
            {
                throw usageError(unknownOption(name, set))
            }
            throw error as? CommandLineError ?? usageError(type(of: value).message(for: error))
        }
        return value
    }

    // MARK: Options

    private mutating func parseOptions(_ set: ArgumentSet) throws(CommandLineError) {
        for index in tokens.indices {
            guard let token = tokens[index] else { continue }
            switch token {
            case .value, .terminator: continue
            case .long(let name, let value): try parseOption(.long(name), value, at: index, set)
            case .short(let letter, let value): try parseOption(.short(letter), value, at: index, set)
            case .singleDash(let name, let value): try parseOption(.singleDash(name), value, at: index, set)
            case .group(let letters, _):
                if set.definition(named: .singleDash(letters)) != nil {
                    try parseOption(.singleDash(letters), nil, at: index, set)
                } else {
                    try parseGroup(letters, at: index, set)
                }
            }
        }
    }

    private mutating func parseOption(
        _ name: ArgumentName, _ value: String?, at index: Int, _ set: ArgumentSet
    ) throws(CommandLineError) {
        guard let definition = set.definition(named: name) else { return }
        tokens[index] = nil
        if definition.form == .flag {
            if let value {
                throw usageError("The option '\(name.text)' does not take any value, but '\(value)' was specified.")
            }
            try store("", definition, name)
        } else if let text = value ?? useValue(after: index) {
            try store(text, definition, name)
        } else {
            throw usageError("Missing value for '\(definition.title(name))'", definition, name)
        }
    }

    /// Uses the letters of a group that are options; values of several letters are the arguments after the group.
    private mutating func parseGroup(
        _ letters: String, at index: Int, _ set: ArgumentSet
    ) throws(CommandLineError) {
        var unused = ""
        for letter in letters {
            let name = ArgumentName.short(letter)
            guard let definition = set.definition(named: name) else {
                unused.append(letter)
                continue
            }
            if definition.form == .flag {
                try store("", definition, name)
            } else if let text = useValue(after: index) {
                try store(text, definition, name)
            } else {
                let whole = ArgumentName.singleDash(letters)
                throw usageError(
                    """
                    \(unknownOption(whole, set))
                       or: Missing value for '\(definition.title(name))' in '\(whole.text)'
                    """)
            }
        }
        if unused.isEmpty {
            tokens[index] = nil
        } else if unused.count < letters.count {
            tokens[index] = .group(unused, isWhole: false)
        }
    }

    /// The next unused argument, if it is a value.
    private mutating func useValue(after index: Int) -> String? {
        guard let next = tokens[(index + 1)...].firstIndex(where: { $0 != nil }), case .value(let text)? = tokens[next]
        else { return nil }
        tokens[next] = nil
        return text
    }

    private func store(
        _ text: String, _ definition: ArgumentDefinition, _ name: ArgumentName?
    ) throws(CommandLineError) {
        var reason = ""
        do {
            if try definition.store(text, name) { return }
            reason = Self.list(definition.values)
        } catch let error as ExclusiveFlags {
            throw usageError(
                "Value to be set with flag '\(error.used)' had already been set with flag '\(error.previous)'")
        } catch {
            reason = ": " + stack[stack.count - 1].message(for: error)
        }
        throw usageError("The value '\(text)' is invalid for '\(definition.title(name))'\(reason)", definition, name)
    }

    /// Sentence that lists the valid values of an enum.
    private static func list(_ values: [String]) -> String {
        guard let last = values.last else { return "" }
        let others = values.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        let beginning = others.isEmpty ? "" : others + (values.count == 2 ? " and " : " or ")
        return ". Please provide one of \(beginning)'\(last)'."
    }

    private func unknownOption(_ name: ArgumentName, _ set: ArgumentSet) -> String {
        let message = "Unknown option '\(name.text)'"
        guard !name.isShort else { return message }
        let candidates = set.definitions.filter { !$0.help.isHidden }.flatMap(\.names).filter { !$0.isShort }
        let distances = candidates.map { (name: $0.text, distance: $0.text.editDistance(to: name.text)) }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }), nearest.distance <= 3 else {
            return message
        }
        return message + ". Did you mean '\(nearest.name)'?"
    }

    // MARK: Positional arguments and subcommands

    private mutating func parsePositionals(_ set: ArgumentSet) throws(CommandLineError) {
        var index = 0
        for definition in set.definitions where definition.form == .positional {
            while index < tokens.count {
                defer { index += 1 }
                guard case .value(let text)? = tokens[index] else { continue }
                tokens[index] = nil
                try store(text, definition, nil)
                if !definition.isRepeating { break }
            }
        }
    }

    /// The subcommand that the next unused argument names.
    private mutating func useSubcommand() -> (any ParsableCommand.Type)? {
        guard let first = tokens.firstIndex(where: { $0 != nil }), case .value(let name)? = tokens[first],
            let subcommand = CommandLineParser.subcommands(of: stack).first(where: {
                $0.configuration.commandName == name
            })
        else { return nil }
        tokens[first] = nil
        return subcommand
    }

    /// Subcommands of the last command of a stack. `help` and `completion` are subcommands of the root.
    static func subcommands(of stack: [any ParsableArguments.Type]) -> [any ParsableCommand.Type] {
        guard let declared = (stack.last as? any ParsableCommand.Type)?.configuration.subcommands, !declared.isEmpty
        else { return [] }
        return stack.count == 1 ? declared + [HelpCommand.self, CompletionCommand.self] : declared
    }

    // MARK: Built-in flags

    /// Ends parsing for `--help`, `--help-hidden` and `--version`, in this order of precedence.
    private func checkForBuiltInFlags() throws(CommandLineError) {
        func contains(_ name: ArgumentName) -> Bool { tokens.contains { $0?.isOption(name) == true } }

        if !(stack.last is HelpCommand.Type) {
            if contains(.long("help")) || contains(.short("h")) {
                throw CommandLineError(stack: stack, reason: .help(includesHidden: false))
            }
            if contains(.long("help-hidden")) {
                throw CommandLineError(stack: stack, reason: .help(includesHidden: true))
            }
        }
        if let version = CommandLineError.version(of: stack), contains(.long("version")) {
            throw CommandLineError(stack: stack, reason: .version(version))
        }
    }

    /// Ends parsing for `--generate-completion-script`, which `completion` replaces.
    private func checkForCompletionScript(_ arguments: [String]) throws(CommandLineError) {
        guard stack[0] is any ParsableCommand.Type else { return }
        for (index, token) in tokens.enumerated() {
            guard case .long("generate-completion-script", let value)? = token else { continue }
            var name = value
            if name == nil, index + 1 < tokens.count, case .value(let next)? = tokens[index + 1] { name = next }
            if let shell = CompletionShell(name: name) {
                throw CommandLineError(stack: stack, reason: .completionScript(shell))
            }
            let problem =
                name.map { "Can't generate completion scripts for '\($0)'." } ?? "Can't autodetect a supported shell."
            throw usageError(
                """
                \(problem)
                Please use --generate-completion-script=<shell> with one of:
                    \(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))
                """)
        }
    }

    // MARK: Errors

    /// - Parameters:
    ///   - definition: Argument whose help follows the message; `nil` for none.
    ///   - name: Name that the argument was given with.
    private func usageError(
        _ message: String, _ definition: ArgumentDefinition? = nil, _ name: ArgumentName? = nil
    ) -> CommandLineError {
        CommandLineError(stack: stack, reason: .usage(message, help: definition?.helpLine(name)))
    }
}

extension ArgumentDefinition {
    /// Line of an error message with the abstract of the argument; `nil` for a hidden argument.
    fileprivate func helpLine(_ name: ArgumentName?) -> String? {
        guard !help.isHidden else { return nil }
        let title = form == .positional ? "<\(valueName)>" : title(name)
        return "\(title)  \(help.abstract)"
    }
}

extension String {
    /// Levenshtein distance in characters.
    func editDistance(to other: String) -> Int {
        let columns = Array(other)
        var row = Array(0...columns.count)
        for (index, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in columns.indices {
                let substituted = diagonal + (columns[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[columns.count]
    }
}
