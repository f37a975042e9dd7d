package import PlatformImage

/// The exit codes of sysexits.h that the tool uses.
package enum SystemExit: Int32 {
    case usage = 64
    /// A bad or unsupported image.
    case dataError = 65
    /// A file that is missing, a directory, or not readable.
    case noInput = 66
    /// A bug of ours.
    case software = 70
    /// No memory left.
    case system = 71
    case ioError = 74
    /// Refused by a limit.
    case refused = 77
}

/// Why a file gave nothing.
package struct Failure: Error {
    package let exit: SystemExit
    /// `code: message`, or `code(detail): message`.
    package let reason: String

    package init(_ exit: SystemExit, _ reason: String) {
        self.exit = exit
        self.reason = reason
    }

    package init(_ error: DecodeError) {
        let exit: SystemExit =
            switch error.code {
            case .limitExceeded: .refused
            case .outOfMemory: .system
            case .invalidArgument: .usage
            case .internal, .cancelled: .software
            default: .dataError
            }
        self.init(exit, error.description)
    }

    /// The tool's only code besides those of ``DecodeError``, `noInput` and `io`.
    package static func noSuchFrame(_ index: Int, of count: Int?) -> Self {
        let existing = count.map { $0 == 1 ? "there is 1, frame 0" : "there are \($0), from 0" }
        return Self(.dataError, "noSuchFrame: frame \(index) does not exist" + (existing.map { ": \($0)" } ?? ""))
    }
}

/// Turns a decode error into a ``Failure``; others pass.
package func withFailure<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let error as DecodeError {
        throw Failure(error)
    }
}

/// Turns an encoder's error into a ``Failure``.
package func withEncodeFailure<R>(_ body: () throws(EncodeError) -> R) throws(Failure) -> R {
    do {
        return try body()
    } catch {
        let exit: SystemExit =
            switch error.code {
            case .overMaxBytes, .tooLarge: .refused
            case .outOfMemory: .system
            case .invalidArgument: .usage
            default: .software
            }
        throw Failure(exit, error.description)
    }
}

/// What is printed when only part of a picture is true: `truncated(rows 12): ...`; nil when all is.
package func warning(for status: DecodeStatus) -> String? {
    switch status {
    case .complete: nil
    case .truncated(let rows): "truncated(rows \(rows)): the bytes end early, only these rows from the top are whole"
    case .corrupt(let warnings):
        "corrupt(\(warnings.map(\.description).joined(separator: ", "))): damaged, shown as far as it goes"
    }
}
