#if Tool
package import ArgumentParser
import PlatformImage

/// Version of the tools, as `--version` prints it.
package let toolVersion = "0.1.0"

extension ParsableCommand {
    /// Runs `body`, which is all that the process does, and exits with the code of what it throws.
    package static func runProcess(_ body: @Sendable () async throws -> Void) async {
        ignoreWriteSignals()
        do {
            try await body()
        } catch let failure as OutputFailure {
            if let reason = failure.reason { printError(reason) }
            exit(withError: ExitCode(SystemExit.ioError.rawValue))
        } catch {
            exit(withError: error)
        }
    }

    /// Runs the command that the arguments of the process name.
    package static func runArguments() async throws {
        var command = try parseAsRoot()
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}

/// Runs `body` for each file in turn and prints why one failed; the others still run.
///
/// - Throws: The exit code of the only file, or 1 when one of several failed; at once what `body` throws besides
///   ``Failure`` and decode errors, such as an ``OutputFailure``.
package func forEachFile(_ paths: [String], _ body: (String) throws -> Void) throws {
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
package func withReport<R>(_ path: String, _ body: () async throws -> R) async throws -> R {
    do {
        return try await body()
    } catch let failure as Failure {
        printError("\(path): \(failure.reason)")
        throw ExitCode(failure.exit.rawValue)
    }
}

/// The case of that name, for options whose values have names.
///
/// - Throws: A `ValidationError` with the names there are.
package func named<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> Value
where Value.RawValue == String {
    guard let value = Value(rawValue: name) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is none of \(names)")
    }
    return value
}
#endif
