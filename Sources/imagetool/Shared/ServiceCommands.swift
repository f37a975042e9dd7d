import PlatformImageToolSupport

/// The commands of the thumbnail service, which this version does not contain: the list of commands and its order stay
/// the same.
enum ServiceCommands {
    static let all: [any ParsableCommand.Type] = [
        ServeCommand.self, SignCommand.self, HealthCommand.self, WarmCommand.self,
    ]

    /// - Throws: Exit code 64, after a message, when the first argument is one of the commands.
    static func refuse(_ arguments: some Sequence<String>) throws {
        guard let name = arguments.first(where: { _ in true }),
            all.contains(where: { $0.configuration.commandName == name })
        else { return }
        printError("imagetool: the command \(name) is not in this version; it returns with the thumbnail service")
        throw ExitCode(SystemExit.usage.rawValue)
    }
}

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves thumbnails over HTTP with the URLs of thumbor and of the IIIF Image API.")
}

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Prints targets of the thumbnail service with their signatures.")
}

struct HealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Checks that a thumbnail service responds; exits with 0 if it does and with 1 otherwise.")
}

struct WarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "warm",
        abstract: "Requests the targets of a list at a limited rate to fill the caches of a thumbnail service.")
}
