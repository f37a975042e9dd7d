#if Loader
internal import CPlatformImageContentCoding

/// A coding of `Content-Encoding` that is undone here (RFC 9110 §8.4.1); `identity` is none.
enum ContentCoding: Hashable, Sendable {
    case gzip
    /// With the header of RFC 1950 or, as some servers send it, without.
    case deflate

    /// More in a row than any server needs; each takes memory.
    static let maxInARow = 4

    /// What a response was coded with, in the order in which it was done; empty for not at all.
    ///
    /// - Throws: `unknown` for a coding that is not known, and for too many.
    static func codings(of fields: HeaderFields) throws(ContentCodingError) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        for name in fields.tokens(of: "Content-Encoding") where name != "identity" {
            switch name {
            case "gzip", "x-gzip": codings.append(.gzip)
            case "deflate": codings.append(.deflate)
            default: throw .unknown(name)
            }
        }
        guard codings.count <= maxInARow else { throw .unknown("\(codings.count) codings in a row") }
        return codings
    }

    fileprivate var format: picc_format { self == .gzip ? PICC_GZIP : PICC_DEFLATE }
}

/// Why the content of a coded body cannot be had.
enum ContentCodingError: Error, Hashable, Sendable {
    /// A coding that is not undone here, by its name in lower case.
    case unknown(String)
    /// The bytes are not what the coding makes.
    case damaged(String)
    /// The bytes end before the coding does.
    case truncated
    /// The content, or a stage on the way to it, has more bytes than allowed.
    case tooLarge
}

/// Undoes the codings of one body while it comes in, and keeps the content.
///
/// Memory is the content and 64 KiB a coding, whatever the bytes say.
final class ContentDecoder {
    private let stages: [Stage]
    private let maxBytes: Int
    /// The content so far.
    private(set) var content: [UInt8] = []

    /// - Parameters:
    ///   - codings: In the order in which they were applied.
    ///   - maxBytes: Of the content and of each stage before it.
    init(_ codings: [ContentCoding], maxBytes: Int) {
        stages = codings.reversed().map(Stage.init)
        self.maxBytes = maxBytes
    }

    /// The content of a body that is all there.
    ///
    /// - Returns: The same bytes when the response is not coded.
    static func content(
        of bytes: [UInt8], _ fields: HeaderFields, maxBytes: Int
    ) throws(ContentCodingError) -> [UInt8] {
        let codings = try ContentCoding.codings(of: fields)
        guard !codings.isEmpty else { return bytes }
        let decoder = ContentDecoder(codings, maxBytes: maxBytes)
        try decoder.append(bytes)
        try decoder.finish()
        return decoder.content
    }

    /// Takes in the next bytes of the body.
    func append(_ bytes: [UInt8]) throws(ContentCodingError) { try push(bytes[...], into: 0) }

    /// Makes sure that every coding has come to its end.
    func finish() throws(ContentCodingError) {
        for stage in stages where !stage.isWhole { throw .truncated }
    }

    private func push(_ bytes: ArraySlice<UInt8>, into index: Int) throws(ContentCodingError) {
        guard index < stages.count else {
            guard bytes.count <= maxBytes - content.count else { throw .tooLarge }
            content += bytes
            return
        }
        var rest = bytes
        while true {
            let piece = try stages[index].decode(&rest)
            guard stages[index].made <= maxBytes else { throw .tooLarge }
            if !piece.isEmpty { try push(piece[...], into: index + 1) }
            if piece.count < Stage.pieceBytes { return }
        }
    }

    /// One coding on its way to being undone.
    private final class Stage {
        static let pieceBytes = 65_536
        /// Nil when memory was short.
        private let decoder: OpaquePointer?
        /// Bytes that came of it so far.
        private(set) var made = 0

        init(_ coding: ContentCoding) { decoder = picc_create(coding.format) }

        deinit { picc_destroy(decoder) }

        var isWhole: Bool { decoder.map { picc_is_whole($0) == 1 } ?? false }

        /// Decodes some of `input`, which becomes what is left of it; fewer than ``pieceBytes`` come when nothing is.
        func decode(_ input: inout ArraySlice<UInt8>) throws(ContentCodingError) -> [UInt8] {
            guard let decoder else { throw .damaged("memory is short") }
            var (status, used, size) = (PICC_OK, 0, 0)
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { output, count in
                input.withUnsafeBufferPointer { bytes in
                    status = picc_decode(
                        decoder, bytes.baseAddress, bytes.count, &used, output.baseAddress, Self.pieceBytes, &size)
                }
                count = size
            }
            guard status == PICC_OK else { throw .damaged(String(cString: picc_message(decoder))) }
            input = input.dropFirst(used)
            made += size
            return piece
        }
    }
}
#endif
