#if Loader
internal import PlatformImage

/// A body on its way in, through the gates of size, content coding and type (O43, O92).
///
/// A refusal is thrown as the error of the load; the rest of the body is then not worth reading.
struct IncomingBody {
    /// As it came.
    private(set) var bytes: [UInt8] = []
    /// Bytes in all, by the header or, for the rest of a body, by its range; nil when nobody has said so.
    let length: Int?
    private let limit: Int
    /// As it is: only errors show it, redacted.
    private let address: String
    private let fields: HeaderFields
    private let gate: TypeGate
    /// True when what came before fits nothing but a body of exactly ``length`` bytes.
    private let isRest: Bool
    private var isChecked: Bool
    private let decoder: ContentDecoder?

    /// Bytes that are reserved at most before they are there.
    private static let maxReserved = 16 << 20

    /// - Parameters:
    ///   - url: As it is.
    ///   - length: Of the whole body, when it is known better than from the head.
    ///   - limit: Bytes of the body as it comes, and of its content.
    ///   - accepted: As ``TypeGate`` takes it.
    init(
        _ head: ResponseHead, url: String, length: Int?, limit: Int, accepted: Set<ContentType>?, isDecoded: Bool
    ) throws(LoadError) {
        address = url
        self.limit = limit
        isRest = length != nil
        self.length = length ?? Self.contentLength(head.fields)
        fields = head.fields
        gate = TypeGate(accepted)
        isChecked = !gate.needsStart(fields)
        do throws(ContentCodingError) {
            let codings = isDecoded ? try ContentCoding.codings(of: fields) : []
            decoder = codings.isEmpty ? nil : ContentDecoder(codings, maxBytes: limit)
        } catch {
            throw LoadError(error, url: Redaction.shown(url), limit: limit)
        }
        if let length = self.length, length > limit { throw tooLarge }
        if isChecked { try checkType() }
    }

    private var url: String { Redaction.shown(address) }

    /// What the bytes mean, without their codings.
    var content: [UInt8] { decoder?.content ?? bytes }

    /// Bytes of the content so far.
    var count: Int { decoder?.content.count ?? bytes.count }

    /// Bytes of the content in all; nil when nobody has said so.
    var expectedCount: Int? { decoder == nil ? length : nil }

    mutating func append(_ chunk: [UInt8]) throws(LoadError) {
        guard chunk.count <= limit - bytes.count else { throw tooLarge }
        if isRest, let length, chunk.count > length - bytes.count {
            throw .transport("more bytes than the \(length) of the range", url: url)
        }
        if bytes.isEmpty, chunk.count == length {
            bytes = chunk
        } else {
            // A length is a promise, but memory that nothing was written to is none yet, and to grow by doubling
            // would copy the most part of a body twice.
            if bytes.isEmpty { bytes.reserveCapacity(min(length ?? 0, Self.maxReserved)) }
            bytes += chunk
        }
        if let decoder {
            do throws(ContentCodingError) { try decoder.append(chunk) } catch { throw refusal(error) }
        }
        if !isChecked, count >= 1_024 { try checkType() }
    }

    /// Checks what can only be checked at the end.
    ///
    /// - Throws: `transport` when bytes are missing.
    mutating func finish() throws(LoadError) {
        if let length, bytes.count < length { throw .transport("\(bytes.count) bytes of \(length)") }
        if let decoder {
            do throws(ContentCodingError) { try decoder.finish() } catch { throw refusal(error) }
        }
        if !isChecked { try checkType() }
    }

    private mutating func checkType() throws(LoadError) {
        isChecked = true
        guard let type = gate.refusal(fields, start: Array(content.prefix(1_024))) else { return }
        throw LoadError(.unacceptableContentType, url: url, "type \(type)")
    }

    private var tooLarge: LoadError { refusal(.tooLarge) }

    private func refusal(_ error: ContentCodingError) -> LoadError { LoadError(error, url: url, limit: limit) }

    /// Nil when the header does not say it, or not in one way.
    private static func contentLength(_ fields: HeaderFields) -> Int? {
        let lines = fields[lines: "Content-Length"]
        guard let line = lines.first, lines.allSatisfy({ $0 == line }), !fields.contains("Transfer-Encoding") else {
            return nil
        }
        return Int(asciiDigits: line)
    }
}
#endif
