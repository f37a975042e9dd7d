package import PlatformImage

/// Exit codes of sysexits.h that the tools use.
package enum SystemExit: Int32 {
    case usage = 64
    /// A malformed or unsupported image.
    case dataError = 65
    /// A file is missing, is a directory or cannot be read.
    case noInput = 66
    /// Internal error.
    case software = 70
    /// Out of memory, or no decode worker can be used.
    case system = 71
    case ioError = 74
    /// An input, an image or an encoded file exceeds a limit.
    case refused = 77
}

/// Reason why a file could not be processed, with the exit code for it.
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
            case .limitExceeded, .timedOut: .refused
            case .outOfMemory, .workerUnavailable: .system
            case .crashed where error.isUnrelatedToInput: .system
            case .invalidArgument: .usage
            case .internal, .cancelled: .software
            default: .dataError
            }
        self.init(exit, error.description)
    }

    /// Stable name of the failure: the part of ``reason`` before its detail and its message.
    package var code: String { String(reason.prefix { $0 != "(" && $0 != ":" }) }

    /// Failure for a missing frame or page. Its code `noSuchFrame` is not a code of ``DecodeError``.
    package static func noSuchFrame(_ index: Int, of count: Int?) -> Self {
        let existing = count.map {
            $0 == 1
                ? "the file has 1 frame, which has the index 0"
                : "the file has \($0) frames with the indices 0 to \($0 - 1)"
        }
        let missing = "noSuchFrame: the frame or page with the index \(index) does not exist"
        return Self(.dataError, missing + (existing.map { "; \($0)" } ?? ""))
    }
}

/// Runs `body` and converts `DecodeError` to ``Failure``; rethrows other errors unchanged.
package func convertingDecodeError<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let error as DecodeError {
        throw Failure(error)
    }
}

/// Runs `body` and converts `EncodeError` to ``Failure``.
package func convertingEncodeError<R>(_ body: () throws(EncodeError) -> R) throws(Failure) -> R {
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

extension DecodeStatus {
    /// Name of the case without its values: `complete`, `truncated` or `corrupt`.
    package var name: String {
        switch self {
        case .complete: "complete"
        case .truncated: "truncated"
        case .corrupt: "corrupt"
        }
    }
}

/// Warning about damage, such as `truncated(rows 12): ...`; `nil` for a complete image.
package func warning(for status: DecodeStatus) -> String? {
    switch status {
    case .complete: nil
    case .truncated(let rows):
        "truncated(rows \(rows)): the data ends early; only the first \(rows) rows are complete"
    case .corrupt(let warnings):
        "corrupt(\(warnings.map(\.description).joined(separator: ", "))): "
            + "the file is damaged; only the decodable part is used"
    }
}
