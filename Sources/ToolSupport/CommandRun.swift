import PlatformImage

/// Version of the tools, as `--version` prints it.
package let toolVersion = platformImageVersion

extension ParsableCommand {
    /// Runs `body` as the main function of the process; an error ends the process with the exit code of the error.
    package static func runProcess(_ body: @Sendable () async throws -> Void) async {
        ignoreWriteSignals()
        do {
            try await body()
        } catch let failure as OutputFailure {
            if let reason = failure.reason { printError(reason) }
            exit(withError: ExitCode(SystemExit.ioError.rawValue))
        } catch let failure as Failure {
            printError("imagetool: \(failure.reason)")
            exit(withError: ExitCode(failure.exit.rawValue))
        } catch {
            exit(withError: error)
        }
    }

    /// Parses the process's arguments and runs the command that they select.
    package static func runArguments() async throws {
        var command = try parseAsRoot()
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}

/// Runs `body` for each file in order; reports a failure on stderr and continues with the next file.
///
/// - Throws: With one path, the exit code of its failure; with several paths, 1 when at least one of them failed. An
///   error other than ``Failure`` and `DecodeError`, such as ``OutputFailure``, ends the loop immediately.
package func forEachFile(_ paths: [String], _ body: (String) throws -> Void) throws {
    var failures: [Failure] = []
    for path in paths {
        do {
            try convertingDecodeError { try body(path) }
        } catch let failure as Failure {
            printError("\(path): \(failure.reason)")
            failures.append(failure)
        }
    }
    guard let first = failures.first else { return }
    throw ExitCode(paths.count == 1 ? first.exit.rawValue : 1)
}

/// Runs `body` for the only file or folder of a command and reports a failure on stderr.
///
/// - Throws: The exit code of a ``Failure``; other errors unchanged.
package func reportingFailure<R>(_ path: String, _ body: () async throws -> R) async throws -> R {
    do {
        return try await body()
    } catch let failure as Failure {
        printError("\(path): \(failure.reason)")
        throw ExitCode(failure.exit.rawValue)
    }
}

/// Returns the enum case with the raw value `name`, for parsing option values.
///
/// - Throws: `ValidationError` that lists the valid names.
package func parseChoice<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> Value
where Value.RawValue == String {
    guard let value = Value(rawValue: name) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is not one of \(names)")
    }
    return value
}
