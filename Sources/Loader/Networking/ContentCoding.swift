internal import CPlatformImageContentCoding
internal import PlatformImage

/// A content coding that can be decoded (RFC 9110 §8.4.1); `identity` is not one.
enum ContentCoding: Hashable, Sendable {
    case gzip
    /// zlib format (RFC 1950) or, as some servers send it, raw deflate (RFC 1951).
    case deflate

    /// Maximum number of codings of one response; each needs memory.
    static let maxCodings = 4

    /// The codings of a response in the order in which they were applied; empty for an uncoded response.
    static func codings(of fields: HeaderFields) throws(ContentCodingError) -> ContentCodings {
        var codings = ContentCodings()
        for name in fields.tokens(of: "Content-Encoding") where name != "identity" {
            switch name {
            case "gzip", "x-gzip": codings.known.append(.gzip)
            case "deflate": codings.known.append(.deflate)
            default: codings.unknown = codings.unknown ?? name
            }
        }
        guard codings.known.count <= maxCodings else {
            throw .unknown("\(codings.known.count) codings, the limit is \(maxCodings)")
        }
        return codings
    }

    fileprivate var format: picc_format { self == .gzip ? PICC_GZIP : PICC_DEFLATE }
}

/// The content codings of one response.
struct ContentCodings: Equatable {
    /// Those that can be decoded, in the order in which they were applied.
    var known: [ContentCoding] = []
    /// The lowercase name of the first other one; nil for none.
    ///
    /// Many servers send a character encoding, a content type, `none` or `aws-chunked` here and do not code the
    /// content. So a response with such a coding is used when its content begins like an image, and rejected otherwise.
    var unknown: String?

    /// Throws `unknown` for an unknown coding, unless the content has the signature of an image.
    func check(_ content: [UInt8]) throws(ContentCodingError) {
        guard let unknown, case .unknown = ImageSignature(of: content.span) else { return }
        throw .unknown(unknown)
    }

    /// The error of a body that cannot be decoded: an unknown coding may be the cause.
    func cause(_ error: ContentCodingError) -> ContentCodingError {
        switch error {
        case .damaged, .truncated: unknown.map { .unknown($0) } ?? error
        case .unknown, .tooLarge: error
        }
    }
}

/// The reason why a content-coded body cannot be decoded.
enum ContentCodingError: Error, Hashable, Sendable {
    /// An unsupported coding, with its lowercase name; or too many codings, with their number and the limit.
    case unknown(String)
    /// The data is invalid for the coding, or memory ran out; with a description.
    case damaged(String)
    /// The data ends before the end of the coded stream.
    case truncated
    /// The content, or an intermediate stage, is larger than permitted.
    case tooLarge
}

/// Decodes the content codings of one body incrementally and stores the content.
///
/// Memory use is bounded for any input: the content has at most `maxBytes` bytes, and each coding needs its decoder and
/// a buffer of 64 KiB.
final class ContentDecoder {
    private let stages: [Stage]
    private let maxBytes: Int
    /// The content decoded so far.
    private(set) var content: [UInt8] = []

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codings: In the order in which they were applied.
    ///   - maxBytes: Maximum size of the content and of each intermediate stage.
    init(_ codings: [ContentCoding], maxBytes: Int) {
        stages = codings.reversed().map(Stage.init)
        self.maxBytes = maxBytes
    }

    /// Returns the content of a complete body.
    ///
    /// - Returns: The unchanged bytes when the response is not content-coded.
    static func content(
        of bytes: [UInt8], _ fields: HeaderFields, maxBytes: Int
    ) throws(ContentCodingError) -> [UInt8] {
        let codings = try ContentCoding.codings(of: fields)
        var content = bytes
        if !codings.known.isEmpty {
            let decoder = ContentDecoder(codings.known, maxBytes: maxBytes)
            do throws(ContentCodingError) {
                try decoder.append(bytes)
                try decoder.finish()
            } catch {
                throw codings.cause(error)
            }
            content = decoder.content
        }
        try codings.check(content)
        return content
    }

    /// Decodes the next bytes of the body.
    func append(_ bytes: [UInt8]) throws(ContentCodingError) { try push(bytes[...], into: 0) }

    /// Throws `truncated` unless the stream of every coding is complete.
    func finish() throws(ContentCodingError) {
        for stage in stages where !stage.isComplete { throw .truncated }
    }

    private func push(_ bytes: ArraySlice<UInt8>, into index: Int) throws(ContentCodingError) {
        guard index < stages.count else {
            guard bytes.count <= maxBytes - content.count else { throw .tooLarge }
            content += bytes
            return
        }
        var rest = bytes
        while true {
            let chunk = try stages[index].decode(&rest)
            guard stages[index].outputBytes <= maxBytes else { throw .tooLarge }
            if !chunk.isEmpty { try push(chunk[...], into: index + 1) }
            if chunk.count < Stage.chunkBytes { return }
        }
    }

    /// The decoder of one coding.
    private final class Stage {
        static let chunkBytes = 65_536
        /// Nil when the allocation failed.
        private let decoder: OpaquePointer?
        /// Number of bytes decoded so far.
        private(set) var outputBytes = 0

        init(_ coding: ContentCoding) { decoder = picc_create(coding.format) }

        deinit { picc_destroy(decoder) }

        var isComplete: Bool { decoder.map { picc_is_complete($0) == 1 } ?? false }

        /// Decodes a part of `input` and removes it; returns fewer than ``chunkBytes`` bytes when `input` is exhausted.
        func decode(_ input: inout ArraySlice<UInt8>) throws(ContentCodingError) -> [UInt8] {
            guard let decoder else { throw .damaged("out of memory") }
            var (status, used, size) = (PICC_OK, 0, 0)
            let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { output, count in
                input.withUnsafeBufferPointer { bytes in
                    status = picc_decode(
                        decoder, bytes.baseAddress, bytes.count, &used, output.baseAddress, Self.chunkBytes, &size)
                }
                count = size
            }
            guard status == PICC_OK else { throw .damaged(String(cString: picc_message(decoder))) }
            input = input.dropFirst(used)
            outputBytes += size
            return chunk
        }
    }
}
