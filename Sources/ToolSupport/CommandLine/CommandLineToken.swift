/// One argument, classified by its form alone.
enum CommandLineToken {
    case value(String)
    /// `--name` or `--name=value`; `--name=` has no value.
    case long(String, value: String?)
    /// `-n` or `-n=value`.
    case short(Character, value: String?)
    /// `-abc`: a name with one dash, or letters of short options. `isWhole` is false when some letters were used.
    case group(String, isWhole: Bool)
    /// `-abc=value`: only a name with one dash.
    case singleDash(String, value: String)
    /// The first `--`; the arguments after it are values.
    case terminator

    /// Classifies arguments.
    ///
    /// - Throws: ``InvalidToken`` for `-=` and `---`, with any text after them.
    static func tokens(of arguments: [String]) throws(InvalidToken) -> [Self] {
        var tokens: [Self] = []
        var isTerminated = false
        for argument in arguments {
            if isTerminated {
                tokens.append(.value(argument))
            } else {
                tokens.append(try Self(argument))
                if argument == "--" { isTerminated = true }
            }
        }
        return tokens
    }

    struct InvalidToken: Error { let argument: String }

    private init(_ argument: String) throws(InvalidToken) {
        guard argument.first == "-", argument != "-" else {
            self = .value(argument)
            return
        }
        guard argument != "--" else {
            self = .terminator
            return
        }
        guard !argument.hasPrefix("---"), !argument.hasPrefix("-=") else { throw InvalidToken(argument: argument) }
        let isLong = argument.hasPrefix("--")
        let body = argument.dropFirst(isLong ? 2 : 1)
        let equals = body.firstIndex(of: "=")
        let name = String(body[..<(equals ?? body.endIndex)])
        let value = equals.map { String(body[body.index(after: $0)...]) }
        if isLong {
            self = .long(name, value: value == "" ? nil : value)
        } else if name.count == 1, let letter = name.first {
            self = .short(letter, value: value)
        } else if let value {
            self = .singleDash(name, value: value)
        } else {
            self = .group(name, isWhole: true)
        }
    }

    /// The name for messages about an unknown option; `nil` for a value and the terminator.
    var optionName: ArgumentName? {
        switch self {
        case .value, .terminator: nil
        case .long(let name, _): .long(name)
        case .short(let letter, _): .short(letter)
        case .singleDash(let name, _): .singleDash(name)
        case .group(let letters, isWhole: true): .singleDash(letters)
        case .group(let letters, isWhole: false): letters.first.map { .short($0) }
        }
    }

    /// True for an option of this name, with or without a value, also as a letter of a group.
    func isOption(_ name: ArgumentName) -> Bool {
        switch (self, name) {
        case (.long(let own, _), .long(let name)): own == name
        case (.short(let own, _), .short(let letter)): own == letter
        case (.group(let letters, _), .short(let letter)): letters.contains(letter)
        default: false
        }
    }
}
