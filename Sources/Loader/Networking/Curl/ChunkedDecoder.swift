internal import PlatformImage

/// Decodes the chunked transfer coding (RFC 9112 §7.1) of any pieces of a body, strictly and with limits.
///
/// libcurl's decoder accepts lines that end without CR, and has no limit for extensions.
struct ChunkedDecoder {
    /// Limits for bytes that are not content.
    struct Limits: Equatable, Sendable {
        /// Maximum bytes of the line of one chunk's size, with its extensions.
        var lineBytes = 16_384
        /// Maximum bytes of all trailers.
        var trailerBytes = 131_072
        /// Maximum bytes of framing in addition to 16 bytes per byte of content; one-byte chunks have five bytes each.
        var framingBytes = 1_048_576
    }

    /// The next expected part of the coding.
    private enum Stage {
        case size, sizeDigits, space, extensions, sizeEnd, data, dataCR, dataLF
        case trailerStart, trailerName, trailerValue, trailerEnd, lastLF, complete
    }

    private let limits: Limits
    private var stage = Stage.size
    private var remaining: UInt64 = 0
    private var lineBytes = 0
    private var trailerBytes = 0
    private var framingBytes = 0
    private var contentBytes = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    /// True after the last byte of the coding.
    var isComplete: Bool {
        if case .complete = stage { true } else { false }
    }

    /// Decodes the next bytes of the body and appends their content. Bytes after the end are ignored.
    mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, into content: inout [UInt8]
    ) throws(MessageViolation) {
        var index = 0
        while index < bytes.count {
            switch stage {
            case .complete: return
            case .data:
                let count = Int(min(remaining, UInt64(bytes.count - index)))
                content.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[index..<(index + count)]))
                contentBytes += count
                remaining -= UInt64(count)
                index += count
                if remaining == 0 { stage = .dataCR }
            default:
                try countFraming()
                stage = try next(after: bytes[index])
                index += 1
            }
        }
    }

    private mutating func countFraming() throws(MessageViolation) {
        framingBytes += 1
        guard framingBytes <= limits.framingBytes || (framingBytes - limits.framingBytes) / 16 <= contentBytes else {
            throw MessageViolation(
                .framingTooLarge,
                "too much message framing: \(framingBytes) bytes for \(contentBytes) bytes of content")
        }
    }

    /// Returns the stage after a byte that is not content.
    private mutating func next(after byte: UInt8) throws(MessageViolation) -> Stage {
        switch (stage, byte) {
        case (.size, _):
            (remaining, lineBytes) = (0, 0)
            guard let digit = byte.asciiHexValue else { throw Self.invalid("a chunk has no size") }
            remaining = UInt64(digit)
            return try countLine(.sizeDigits)
        case (.sizeDigits, _) where byte.asciiHexValue != nil:
            guard lineBytes < 16, remaining >> 59 == 0, let digit = byte.asciiHexValue else {
                throw Self.invalid("the size of a chunk is too large")
            }
            remaining = remaining << 4 | UInt64(digit)
            return try countLine(.sizeDigits)
        case (.sizeDigits, 0x0D), (.space, 0x0D), (.extensions, 0x0D): return .sizeEnd
        case (.sizeDigits, _) where byte.isASCIIBlank, (.space, _) where byte.isASCIIBlank: return try countLine(.space)
        case (.sizeDigits, UInt8(ascii: ";")), (.space, UInt8(ascii: ";")): return try countLine(.extensions)
        case (.extensions, _) where byte == 0x09 || !byte.isASCIIControl: return try countLine(.extensions)
        case (.sizeEnd, 0x0A): return remaining == 0 ? .trailerStart : .data
        case (.dataCR, 0x0D): return .dataLF
        case (.dataLF, 0x0A): return .size
        case (.dataCR, _), (.dataLF, _): throw Self.invalid("the data of a chunk is longer than its size")
        case (.trailerStart, 0x0D): return .lastLF
        case (.trailerStart, _) where ResponseHeadParser.tokenBytes.contains(byte):
            return try countTrailer(.trailerName)
        case (.trailerName, _) where ResponseHeadParser.tokenBytes.contains(byte): return try countTrailer(.trailerName)
        case (.trailerName, UInt8(ascii: ":")): return try countTrailer(.trailerValue)
        case (.trailerValue, 0x0D): return .trailerEnd
        case (.trailerValue, _) where byte == 0x09 || !byte.isASCIIControl: return try countTrailer(.trailerValue)
        case (.trailerEnd, 0x0A): return .trailerStart
        case (.lastLF, 0x0A): return .complete
        case (.trailerStart, _), (.trailerName, _), (.trailerValue, _), (.trailerEnd, _), (.lastLF, _):
            throw Self.invalid("a trailer is not a valid field line")
        default: throw Self.invalid("the line of a chunk's size is not valid")
        }
    }

    private mutating func countLine(_ stage: Stage) throws(MessageViolation) -> Stage {
        lineBytes += 1
        guard lineBytes <= limits.lineBytes else {
            throw MessageViolation(
                .framingTooLarge, "the line of a chunk's size is larger than \(limits.lineBytes) bytes")
        }
        return stage
    }

    private mutating func countTrailer(_ stage: Stage) throws(MessageViolation) -> Stage {
        trailerBytes += 1
        guard trailerBytes <= limits.trailerBytes else {
            throw MessageViolation(.framingTooLarge, "the trailers are larger than \(limits.trailerBytes) bytes")
        }
        return stage
    }

    private static func invalid(_ message: String) -> MessageViolation {
        MessageViolation(.invalidFraming, "invalid chunked coding: \(message)")
    }
}
