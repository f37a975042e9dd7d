/// Incremental decoder of the body of one request (RFC 9112 §6, §7).
struct BodyDecoder: Sendable {
    /// The result of one step.
    enum Step: Hashable, Sendable {
        /// Bytes of a range are data of the body.
        case data(Range<Int>)
        /// The body ends before this position.
        case end(Int)
        /// All bytes were consumed; more are needed.
        case needsMore
    }

    private enum State {
        case length(Int)
        case chunkLine
        /// A CR was seen in a chunk line.
        case chunkLineEnd
        case chunkData(Int)
        case chunkDataCR
        case chunkDataLF
        case trailers
        case trailersLF
        case ended
    }

    private enum ChunkPart { case size, blank, extensions }

    private var state: State
    private var part = ChunkPart.size
    private var digits = 0
    private var size = 0
    private var lineBytes = 0
    /// Bytes of chunk lines that may still follow.
    private var overhead = MessageLimits.chunkOverheadBytes
    private var trailerBytes = 0
    private var trailer = TrailerLine.start

    private enum TrailerLine { case start, name, value }

    init(_ framing: BodyFraming) {
        switch framing {
        case .none: state = .ended
        case .length(let length): state = length > 0 ? .length(length) : .ended
        case .chunked: state = .chunkLine
        }
    }

    /// Bytes of a body with Content-Length that are still missing; 0 for a chunked body.
    var remainingLength: Int { if case .length(let remaining) = state { remaining } else { 0 } }

    /// Decodes the next part.
    ///
    /// - Parameter start: The first byte that no earlier step consumed. Data and a final position end the step; the
    ///   next step starts behind them.
    mutating func next(_ bytes: Span<UInt8>, from start: Int) throws(RequestRejection) -> Step {
        var index = start
        while true {
            switch state {
            case .ended: return .end(index)
            case .length(let remaining):
                guard index < bytes.count else { return .needsMore }
                let count = min(remaining, bytes.count - index)
                state = count == remaining ? .ended : .length(remaining - count)
                return .data(index..<index + count)
            case .chunkData(let remaining):
                guard index < bytes.count else { return .needsMore }
                let count = min(remaining, bytes.count - index)
                state = count == remaining ? .chunkDataCR : .chunkData(remaining - count)
                overhead = min(overhead + count, MessageLimits.chunkOverheadBytes)
                return .data(index..<index + count)
            default:
                guard index < bytes.count else { return .needsMore }
                try consume(bytes[index])
                index += 1
            }
        }
    }

    /// Consumes a byte outside of the data.
    private mutating func consume(_ byte: UInt8) throws(RequestRejection) {
        switch state {
        case .chunkLine: try consumeChunkLine(byte)
        case .chunkLineEnd:
            guard byte == .lineFeed else { throw Self.malformedChunk }
            state = size == 0 ? .trailers : .chunkData(size)
            (part, digits, size, lineBytes) = (.size, 0, 0, 0)
        case .chunkDataCR:
            guard byte == .carriageReturn else { throw Self.malformedChunk }
            state = .chunkDataLF
        case .chunkDataLF:
            guard byte == .lineFeed else { throw Self.malformedChunk }
            state = .chunkLine
        case .trailers: try consumeTrailer(byte)
        case .trailersLF:
            guard byte == .lineFeed else { throw Self.malformedTrailers }
            state = trailer == .start ? .ended : .trailers
            trailer = .start
        case .ended, .length, .chunkData: break
        }
    }

    private static var malformedChunk: RequestRejection { RequestRejection(.chunk, "the chunked body is malformed") }

    private static var malformedTrailers: RequestRejection {
        RequestRejection(.trailers, "the trailer section of the body is malformed or too large")
    }

    private mutating func consumeChunkLine(_ byte: UInt8) throws(RequestRejection) {
        lineBytes += 1
        overhead -= 1
        guard lineBytes <= MessageLimits.chunkLineBytes, overhead >= 0 else { throw Self.malformedChunk }
        if byte == .carriageReturn {
            guard digits > 0, part != .blank else { throw Self.malformedChunk }
            state = .chunkLineEnd
        } else if part == .size, let value = byte.hexadecimalValue {
            digits += 1
            // 16 digits fit into 64 bits; sizes of 2^63 and more do not fit into Int.
            guard digits <= 16, size < 1 << 59 else { throw Self.malformedChunk }
            size = size << 4 | Int(value)
        } else if part == .extensions {
            guard !byte.isControl else { throw Self.malformedChunk }
        } else if digits > 0, byte == UInt8(ascii: ";") {
            part = .extensions
        } else if digits > 0, byte.isBlank {
            part = .blank
        } else {
            throw Self.malformedChunk
        }
    }

    private mutating func consumeTrailer(_ byte: UInt8) throws(RequestRejection) {
        trailerBytes += 1
        guard trailerBytes <= MessageLimits.trailerBytes else { throw Self.malformedTrailers }
        switch trailer {
        case .start where byte == .carriageReturn: state = .trailersLF
        case .start, .name:
            if byte == .colon, trailer == .name {
                trailer = .value
            } else {
                guard byte.isTokenByte else { throw Self.malformedTrailers }
                trailer = .name
            }
        case .value:
            if byte == .carriageReturn {
                state = .trailersLF
            } else {
                guard !byte.isControl else { throw Self.malformedTrailers }
            }
        }
    }
}
