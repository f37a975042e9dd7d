import CPlatformImageInterface
import PlatformImage

/// A status of the C interface other than `PI_OK`, with its description.
struct InterfaceError: Error {
    let status: pi_status
    /// Stable token of the cause, `""` for none.
    let detail: String
    let message: String
    /// With `PI_OVER_MAX_BYTES`, size of the smallest file that the options permit; otherwise 0.
    var byteCount = 0

    init(_ status: Int, detail: String = "", _ message: String) {
        self.status = pi_status(status)
        self.detail = detail
        self.message = message
    }

    static func invalidArgument(_ name: String, _ problem: String) -> Self {
        Self(PI_INVALID_ARGUMENT, detail: name, "\(name) \(problem)")
    }

    static func bufferTooSmall(_ capacity: Int, required: Int) -> Self {
        Self(PI_BUFFER_TOO_SMALL, "the buffer has \(capacity) bytes, required: \(required)")
    }

    init(_ error: DecodeError) {
        let status =
            switch error.code {
            case .unknownFormat: PI_UNKNOWN_FORMAT
            case .unsupported: PI_UNSUPPORTED
            case .malformed: PI_MALFORMED
            case .truncated: PI_TRUNCATED
            case .limitExceeded: error.detail == "deadline" ? PI_DEADLINE_EXCEEDED : PI_LIMIT_EXCEEDED
            case .invalidArgument: PI_INVALID_ARGUMENT
            case .emptyCrop: PI_EMPTY_CROP
            case .outOfMemory: PI_OUT_OF_MEMORY
            default: PI_INTERNAL
            }
        self.init(status, detail: error.detail ?? "", error.message)
    }

    init(_ error: EncodeError) {
        let status =
            switch error.code {
            case .invalidArgument: PI_INVALID_ARGUMENT
            case .unsupportedFormat: PI_UNSUPPORTED
            case .tooLarge: PI_TOO_LARGE
            case .overMaxBytes: PI_OVER_MAX_BYTES
            case .limitExceeded: PI_LIMIT_EXCEEDED
            case .outOfMemory: PI_OUT_OF_MEMORY
            case .deadlinePassed: PI_DEADLINE_EXCEEDED
            default: PI_INTERNAL
            }
        self.init(status, detail: error.code == .unsupportedFormat ? error.format.rawValue : "", error.message)
        byteCount = error.smallestByteCount ?? 0
    }

    /// Stable name of the status.
    var code: String {
        switch Int(status) {
        case PI_INVALID_ARGUMENT: "invalidArgument"
        case PI_BUFFER_TOO_SMALL: "bufferTooSmall"
        case PI_UNKNOWN_FORMAT: "unknownFormat"
        case PI_UNSUPPORTED: "unsupported"
        case PI_MALFORMED: "malformed"
        case PI_TRUNCATED: "truncated"
        case PI_LIMIT_EXCEEDED: "limitExceeded"
        case PI_DEADLINE_EXCEEDED: "deadlineExceeded"
        case PI_EMPTY_CROP: "emptyCrop"
        case PI_OUT_OF_MEMORY: "outOfMemory"
        case PI_TOO_LARGE: "tooLarge"
        case PI_OVER_MAX_BYTES: "overMaxBytes"
        default: "internal"
        }
    }
}

extension pi_error {
    /// Sets status and texts; nil means `PI_OK`.
    mutating func set(_ error: InterfaceError?) {
        status = error?.status ?? pi_status(PI_OK)
        withUnsafeMutableBytes(of: &code) { Self.store(error?.code ?? "", in: $0) }
        withUnsafeMutableBytes(of: &detail) { Self.store(error?.detail ?? "", in: $0) }
        withUnsafeMutableBytes(of: &message) { Self.store(error?.message ?? "", in: $0) }
    }

    /// Stores as many complete UTF-8 characters as fit before the terminating NUL, and fills the rest with NUL.
    private static func store(_ text: String, in memory: UnsafeMutableRawBufferPointer) {
        var end = 0
        for scalar in text.unicodeScalars where scalar.value != 0 {
            guard end + UTF8.width(scalar) < memory.count else { break }
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                memory[end] = byte
                end += 1
            }
        }
        for index in end..<memory.count { memory[index] = 0 }
    }
}
