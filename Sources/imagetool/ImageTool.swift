#if Tool
import ArgumentParser
import PlatformImage

/// The command `imagetool`. Its exit codes are those of sysexits.h; `Docs/exit-codes.md` lists them.
@main
struct ImageTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imagetool",
        abstract: "Looks into image files and decodes them: PNG, JPEG, GIF, TIFF and BMP.",
        discussion: """
            Errors go to stderr as `path: code: message`. Exit codes: 0 done, 64 wrong usage, 65 bad or unsupported \
            image, 66 no input, 74 I/O error, 77 refused by a limit; with several files 1 if any of them failed.

            `imagetool --version --verbose` also lists the codec libraries with their versions, their packages, and \
            warnings for security fixes that they lack.
            """,
        version: "0.1.0",
        subcommands: [
            InfoCommand.self, DecodeCommand.self, ThumbCommand.self, ContactSheetCommand.self, CompareCommand.self,
            ViewCommand.self, BenchCommand.self, CacheCommand.self,
        ] + networkCommands + serviceCommands)

    /// What needs a transport.
    private static var networkCommands: [any ParsableCommand.Type] {
        #if AsyncHTTPClient
        [LoadCommand.self, PipeCommand.self, DemoCommand.self]
        #else
        []
        #endif
    }

    /// What needs the trait `Service`.
    private static var serviceCommands: [any ParsableCommand.Type] {
        #if Service
        [
            ServeCommand.self, DemoServiceCommand.self, SignCommand.self, HealthCommand.self, WarmCommand.self,
        ]
        #else
        []
        #endif
    }

    static func main() async {
        ignoreWriteSignals()
        do {
            if Set(CommandLine.arguments.dropFirst()) == ["--version", "--verbose"] {
                return try Output().write(LibraryReport(CodecLibrary.all()).text(toolVersion: configuration.version))
            }
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as OutputFailure {
            if let reason = failure.reason { printError(reason) }
            exit(withError: ExitCode(SystemExit.ioError.rawValue))
        } catch {
            exit(withError: error)
        }
    }
}

/// Runs `body` for each file in turn and prints why one failed; the others still run.
///
/// - Throws: The exit code of the only file, or 1 when one of several failed; at once what `body` throws besides
///   ``Failure`` and decode errors, such as an ``OutputFailure``.
func forEachFile(_ paths: [String], _ body: (String) throws -> Void) throws {
    var failures: [Failure] = []
    for path in paths {
        do {
            try withFailure { try body(path) }
        } catch let failure as Failure {
            printError("\(path): \(failure.reason)")
            failures.append(failure)
        }
    }
    guard let first = failures.first else { return }
    throw ExitCode(paths.count == 1 ? first.exit.rawValue : 1)
}

/// Runs `body` for the one file or folder of a command and prints why it failed.
///
/// - Throws: The exit code of a ``Failure``; other errors as they are.
func withReport<R>(_ path: String, _ body: () async throws -> R) async throws -> R {
    do {
        return try await body()
    } catch let failure as Failure {
        printError("\(path): \(failure.reason)")
        throw ExitCode(failure.exit.rawValue)
    }
}
#else
/// Without its trait the tool has no command-line parser.
@main
struct ImageTool {
    static func main() {
        printError("imagetool was built without the Tool trait: build it with `--traits Tool`")
        exitProcess(.usage)
    }
}
#endif
