/// A type whose properties with ``Option``, ``Flag``, ``Argument`` and ``OptionGroup`` declare command-line arguments.
package protocol ParsableArguments: SendableMetatype {
    /// Creates the value with the defaults of all arguments.
    init()

    /// Checks the parsed values; it runs after all of them are stored.
    ///
    /// - Throws: `ValidationError` for values that cannot be combined or are out of range.
    mutating func validate() throws
}

/// A command, or a group of subcommands.
package protocol ParsableCommand: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    /// Runs the command. Without an implementation, the help of the command is printed.
    mutating func run() throws
}

/// A command that runs asynchronously.
package protocol AsyncParsableCommand: ParsableCommand {
    mutating func run() async throws
}

/// Name, texts and subcommands of a command.
package struct CommandConfiguration: Sendable {
    package var commandName: String
    /// One sentence for the list of subcommands and for the first line of the help.
    package var abstract: String
    /// Text below the abstract in the help; may be empty.
    package var discussion: String
    /// Version that `--version` prints, also for the subcommands; empty when there is none.
    package var version: String
    /// False for a command that only `--help-hidden` lists.
    package var shouldDisplay: Bool
    package var subcommands: [any ParsableCommand.Type]

    package init(
        commandName: String, abstract: String = "", discussion: String = "", version: String = "",
        shouldDisplay: Bool = true, subcommands: [any ParsableCommand.Type] = []
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.version = version
        self.shouldDisplay = shouldDisplay
        self.subcommands = subcommands
    }
}

extension ParsableArguments {
    package mutating func validate() throws {}

    /// Parses arguments into a value of this type.
    ///
    /// - Parameter arguments: Arguments without the name of the program.
    /// - Throws: ``CommandLineError``.
    package static func parse(_ arguments: [String]) throws -> Self {
        var parser = CommandLineParser(root: self)
        guard let value = try parser.parse(arguments) as? Self else {
            preconditionFailure("the parser returned a subcommand of a type without subcommands")
        }
        return value
    }

    /// Text that describes an error of ``parse(_:)`` or of the commands, without the usage.
    package static func message(for error: any Error) -> String {
        switch error {
        case let error as CommandLineError: error.message
        case let error as ValidationError: error.message
        default: String(describing: error)
        }
    }
}

extension ParsableCommand {
    package mutating func run() throws { throw HelpRequest(command: Self.self) }

    /// Parses arguments into this command or one of its subcommands.
    ///
    /// - Parameter arguments: Arguments without the name of the program; `nil` for those of the process.
    /// - Throws: ``CommandLineError``, also for `--help` and `--version`.
    package static func parseAsRoot(_ arguments: [String]? = nil) throws -> any ParsableCommand {
        var parser = CommandLineParser(root: self)
        let value = try parser.parse(arguments ?? processArguments())
        guard let command = value as? any ParsableCommand else {
            preconditionFailure("the parser returned a value that is not a command")
        }
        return command
    }

    /// Prints the message for an error on stdout or stderr, and ends the process with the exit code of the error.
    package static func exit(withError error: any Error) -> Never {
        let message = CommandMessage(error, root: self, columns: Terminal.helpColumns)
        // Help that cannot be written is no error: its reader, such as `head`, may have closed the pipe.
        Array(message.output.printable.utf8).withUnsafeBytes { _ = writeAll($0, to: 1) }
        Array(message.errors.printable.utf8).withUnsafeBytes { _ = writeAll($0, to: 2) }
        exitProcess(message.exitCode)
    }
}

/// Thrown by a command that has only subcommands, when none was named.
struct HelpRequest: Error {
    let command: any ParsableCommand.Type
}

/// An error in the values of the arguments; the message is printed with the usage of the command.
package struct ValidationError: Error, CustomStringConvertible {
    package let message: String
    package init(_ message: String) { self.message = message }
    package var description: String { message }
}

/// Ends the process with an exit code and without a message.
package struct ExitCode: Error, Equatable {
    package let rawValue: Int32
    package init(_ rawValue: Int32) { self.rawValue = rawValue }
}
