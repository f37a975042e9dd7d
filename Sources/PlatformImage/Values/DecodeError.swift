/// The error of a decode that produced no image. Errors are equal when their codes are equal.
public struct DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; branch on this.
    public let code: Code
    /// The format of the file; nil when the format is unknown or the error does not depend on the format.
    public let format: ImageFormat?
    /// A stable token that specifies the cause; nil for codes without a detail.
    ///
    /// The unsupported format or feature (`avif`, `lossless`, ...), the exceeded ``DecodeLimits`` property (`deadline`
    /// for a deadline, `decodeBudget` for a ``DecodeBudget``), or the argument that is out of range (`width`, `page`,
    /// ...).
    public let detail: String?
    /// One line of English for a log, with the found and the expected value.
    public let message: String

    init(_ code: Code, format: ImageFormat? = nil, detail: String? = nil, _ message: String) {
        self.code = code
        self.format = format
        self.detail = detail
        self.message = message
    }

    /// The error of a decode that was cancelled before it started.
    package static var cancelled: Self { Self(.cancelled, "the decode was cancelled before it started") }

    /// `code(detail): message`.
    public var description: String {
        detail.map { "\(code)(\($0)): \(message)" } ?? "\(code): \(message)"
    }

    /// True for errors that another decode of the same file need not have: `cancelled`, `outOfMemory`,
    /// `workerUnavailable`, an exceeded deadline, and a worker that another program ended.
    public var isUnrelatedToInput: Bool {
        switch code {
        case .cancelled, .outOfMemory, .workerUnavailable: true
        case .limitExceeded: detail == "deadline"
        case .crashed: detail == "SIGKILL" || detail == "SIGTERM"
        default: false
        }
    }

    /// True when the codes are equal; details and messages are not compared.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes only the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The kind of failure. A minor version may add codes: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `limitExceeded`.
        public let description: String

        /// No signature matches, and no content type of a supported format was declared.
        public static var unknownFormat: Self { Self(description: "unknownFormat") }
        /// The declared content type does not match the format of the signature; only with
        /// ``DecodeOptions/requiresMatchingContentType``.
        public static var contentTypeMismatch: Self { Self(description: "contentTypeMismatch") }
        /// The format, or a feature of the file, is not supported; ``DecodeError/detail`` is its name.
        public static var unsupported: Self { Self(description: "unsupported") }
        /// The bytes violate the format: no pixels could be decoded, or ``DecodeOptions/strictness`` does not allow the
        /// damage.
        public static var malformed: Self { Self(description: "malformed") }
        /// The bytes end early: no pixels could be decoded, or ``DecodeOptions/strictness`` does not allow truncation.
        public static var truncated: Self { Self(description: "truncated") }
        /// A limit of ``DecodeLimits``, a deadline or the maximum of a ``DecodeBudget`` was exceeded.
        /// ``DecodeError/detail`` is the name of the limit's property, `deadline` or `decodeBudget`.
        public static var limitExceeded: Self { Self(description: "limitExceeded") }
        /// An option or a parameter is out of its range; ``DecodeError/detail`` is its name.
        public static var invalidArgument: Self { Self(description: "invalidArgument") }
        /// The crop of a thumbnail contains no pixel of the image.
        public static var emptyCrop: Self { Self(description: "emptyCrop") }
        /// A file cannot be read. ``DecodeError/detail`` is `notFound`, `notPermitted`, `notRegularFile` (a directory,
        /// FIFO, socket or device), `changed` (the file became shorter or was replaced while it was read) or `system`
        /// (another system error).
        public static var fileUnreadable: Self { Self(description: "fileUnreadable") }
        /// The system has no memory left.
        public static var outOfMemory: Self { Self(description: "outOfMemory") }
        /// The decode was cancelled.
        public static var cancelled: Self { Self(description: "cancelled") }
        /// The function of a custom ``ImageProcessor`` threw an error that is not a ``DecodeError``.
        /// ``DecodeError/detail`` is the identifier that the processor was created with.
        public static var processorFailed: Self { Self(description: "processorFailed") }
        /// The worker process of the decode ended or violated the protocol; see ``DecodeWorkers``.
        ///
        /// ``DecodeError/detail`` is the name of the signal (`SIGSEGV`; `SIGSYS` for a system call that the sandbox
        /// forbids; `SIGKILL` for a worker that another program ended), `exit` (the worker ended by itself), `protocol`
        /// (an answer that no correct worker sends), or `refused` (the file crashed a worker before).
        public static var crashed: Self { Self(description: "crashed") }
        /// The worker process of the decode exceeded ``DecodeWorkers/Configuration/timeLimit`` and was ended.
        public static var timedOut: Self { Self(description: "timedOut") }
        /// No worker process can be used.
        ///
        /// ``DecodeError/detail`` is `executableMissing`, `executableNotPermitted`, `sandbox` (the kernel lacks a
        /// required feature), `system` (another error at the start of a process), or `busy` (too many open animations).
        public static var workerUnavailable: Self { Self(description: "workerUnavailable") }
        /// A bug of this package.
        public static var `internal`: Self { Self(description: "internal") }
    }
}

// Numbers that may be untrusted, for example numbers from an HTTP request, are checked by the throwing call that uses
// them. Documentation: the article InvalidArguments.

extension DecodeError {
    /// - Throws: `invalidArgument` with the name as ``DecodeError/detail`` when `value` is outside `range`.
    static func check(_ value: Int, _ name: String, isIn range: ClosedRange<Int>) throws(DecodeError) {
        guard !range.contains(value) else { return }
        throw invalidArgument(name, "\(value)", allowed: range.allowedValues)
    }

    /// - Throws: `invalidArgument` with the name as ``DecodeError/detail`` when `value` is outside `range` or NaN.
    static func check(_ value: Double, _ name: String, isIn range: ClosedRange<Double>) throws(DecodeError) {
        guard !range.contains(value) else { return }
        throw invalidArgument(name, "\(value)", allowed: "\(range)")
    }

    /// An error with the name of the argument, its value and the allowed values.
    static func invalidArgument(_ name: String, _ value: String, allowed: String) -> DecodeError {
        DecodeError(.invalidArgument, detail: name, "\(name) is \(value), allowed: \(allowed)")
    }
}

extension ClosedRange<Int> {
    /// `1...9`, or `1 or more` when there is no upper bound.
    var allowedValues: String { upperBound == .max ? "\(lowerBound) or more" : "\(self)" }
}
