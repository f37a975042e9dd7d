import PlatformImage
import PlatformImageToolSupport

/// The output of `imagetool isolation`.
struct IsolationReport {
    let support: IsolationSupport
    let trial: IsolationTrial

    var json: JSON {
        .object([
            ("usable", .bool(trial.failure == nil)),
            ("reason", .optional(trial.failure)),
            ("kernel", .string(support.kernel)),
            ("seccompFilter", .bool(support.hasSystemCallFilter)),
            ("landlock", .integer(support.landlockVersion)),
            ("memfd", .bool(support.hasMemoryFiles)),
            ("pidfd", .bool(support.hasProcessHandles)),
            ("processSeccompMode", .integer(support.seccompMode)),
            ("processNoNewPrivileges", .bool(support.hasNoNewPrivileges)),
            ("decodedFormats", .array(trial.formats.map { .string($0) })),
            ("workerLandlock", .optional(trial.landlockVersion)),
            ("workers", .array(trial.workers.map(\.json))),
        ])
    }

    /// One line per fact, then the result.
    var text: String {
        var lines: [(String, String)] = [
            ("kernel", support.kernel.isEmpty ? "not Linux" : support.kernel),
            ("seccomp filter", Self.word(support.hasSystemCallFilter)),
            ("Landlock", support.landlockVersion == 0 ? "no" : "ABI \(support.landlockVersion)"),
            ("memfd", Self.word(support.hasMemoryFiles)),
            ("pidfd", Self.word(support.hasProcessHandles)),
            ("this process", "Seccomp \(support.seccompMode), NoNewPrivs \(support.hasNoNewPrivileges ? 1 : 0)"),
            ("decoded images", trial.formats.isEmpty ? "none" : trial.formats.joined(separator: ", ")),
        ]
        lines += trial.workers.map { ("worker \($0.process)", $0.text) }
        let result = trial.failure.map { "workers cannot be used: \($0)" } ?? "workers can be used"
        let warning =
            trial.failure == nil && trial.landlockVersion == 0
            ? "warning: without Landlock, only the system call filter confines the workers\n" : ""
        return lines.map { "\(padded($0.0, to: 16))\($0.1)\n" }.joined() + warning + result + "\n"
    }

    private static func word(_ value: Bool) -> String { value ? "yes" : "no" }
}

extension WorkerFacts {
    fileprivate var json: JSON {
        .object([
            ("process", .integer(Int(process))),
            ("seccompMode", .optional(seccompMode)),
            ("noNewPrivileges", hasNoNewPrivileges.map { .bool($0) } ?? .null),
            ("environmentBytes", .optional(environmentBytes)),
            ("descriptors", descriptors.map { .array($0.map { .string($0) }) } ?? .null),
        ])
    }

    fileprivate var text: String {
        let hidden = "not readable for this user"
        let (sockets, memory) = (count("socket:"), count("/memfd:"))
        let others = (descriptors ?? []).filter { !Self.isExpected($0) }
        let descriptorText =
            descriptors == nil
            ? hidden : (["\(sockets) sockets, \(memory) memfd"] + others).joined(separator: ", ")
        return "Seccomp \(seccompMode.map { "\($0)" } ?? "-"), "
            + "NoNewPrivs \(hasNoNewPrivileges.map { $0 ? "1" : "0" } ?? "-"), "
            + "environment \(environmentBytes.map { "\($0) bytes" } ?? hidden), descriptors \(descriptorText)"
    }

    private func count(_ prefix: String) -> Int { (descriptors ?? []).count { $0.hasPrefix(prefix) } }
}
