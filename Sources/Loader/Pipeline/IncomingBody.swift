internal import PlatformImage

/// A body that is being received, with the checks of size, content coding and content type (O43, O92).
///
/// Failed checks throw the error of the load; the rest of the body need not be read.
struct IncomingBody {
    /// The received bytes, with their content codings.
    private(set) var bytes: [UInt8] = []
    /// Total number of bytes, from `Content-Length` or from `Content-Range` of a continued body; nil when unknown.
    let length: Int?
    private let limit: Int
    /// The URL, not redacted; errors contain its redacted form.
    private let unredactedURL: String
    private let fields: HeaderFields
    private let filter: ContentTypeFilter
    /// True for a continued body, which must have exactly ``length`` bytes.
    private let continuesPartial: Bool
    private let codings: ContentCodings
    /// True when the first bytes of the content are not needed for a check, or were checked.
    private var isPrefixChecked: Bool
    private let decoder: ContentDecoder?

    /// Maximum number of bytes reserved in advance.
    private static let maxReserved = 16 << 20

    /// - Parameters:
    ///   - url: The URL, not redacted.
    ///   - length: Size of the complete body in bytes, if it is known from `Content-Range`.
    ///   - limit: Maximum number of bytes, both of the body as received and of its content.
    ///   - accepted: Accepted content types as in ``ContentTypeFilter``: empty for any image, nil for anything.
    init(
        _ head: ResponseHead, url: String, length: Int?, limit: Int, accepted: Set<ContentType>?, isDecoded: Bool
    ) throws(LoadError) {
        unredactedURL = url
        self.limit = limit
        continuesPartial = length != nil
        // A 204 response has no body, also with a Content-Length (RFC 9112 §6.3, rule 1).
        self.length = length ?? (head.status == 204 ? nil : Self.contentLength(head.fields))
        fields = head.fields
        filter = ContentTypeFilter(accepted)
        do throws(ContentCodingError) {
            codings = isDecoded ? try ContentCoding.codings(of: fields) : ContentCodings()
        } catch {
            throw LoadError(error, url: Redaction.masked(url), limit: limit)
        }
        decoder = codings.known.isEmpty ? nil : ContentDecoder(codings.known, maxBytes: limit)
        isPrefixChecked = codings.unknown == nil && !filter.needsPrefix(fields)
        if let length = self.length, length > limit { throw tooLarge }
        if !filter.needsPrefix(fields) { try checkType() }
    }

    /// The name of a content coding that is not known and was ignored; nil for none.
    var ignoredCoding: String? { codings.unknown }

    private var url: String { Redaction.masked(unredactedURL) }

    /// The body without its content codings.
    var content: [UInt8] { decoder?.content ?? bytes }

    /// Number of content bytes so far.
    var count: Int { decoder?.content.count ?? bytes.count }

    /// Total number of content bytes; nil when unknown.
    var expectedCount: Int? { decoder == nil ? length : nil }

    mutating func append(_ chunk: [UInt8]) throws(LoadError) {
        guard chunk.count <= limit - bytes.count else { throw tooLarge }
        if continuesPartial, let length, chunk.count > length - bytes.count {
            throw .transport("the body is longer than the \(length) bytes that Content-Range declares", url: url)
        }
        if bytes.isEmpty, chunk.count == length {
            bytes = chunk
        } else {
            // The declared length is not trusted beyond `maxReserved`. Reserved memory costs nothing until it is
            // written, while growth by doubling would copy most of the body twice.
            if bytes.isEmpty { bytes.reserveCapacity(min(length ?? 0, Self.maxReserved)) }
            bytes += chunk
        }
        if let decoder {
            do throws(ContentCodingError) { try decoder.append(chunk) } catch { throw loadError(error) }
        }
        if !isPrefixChecked, count >= 1_024 { try checkPrefix() }
    }

    /// Completes the body: checks its length, content coding and content type.
    ///
    /// - Throws: `transport` when bytes are missing; otherwise the error of the failed check.
    mutating func finish() throws(LoadError) {
        if let length, bytes.count < length {
            throw .transport("the body is truncated: \(bytes.count) of \(length) bytes")
        }
        if let decoder {
            do throws(ContentCodingError) { try decoder.finish() } catch { throw loadError(error) }
        }
        if !isPrefixChecked { try checkPrefix() }
    }

    private mutating func checkPrefix() throws(LoadError) {
        isPrefixChecked = true
        do throws(ContentCodingError) { try codings.check(Array(content.prefix(1_024))) } catch {
            throw loadError(error)
        }
        try checkType()
    }

    private func checkType() throws(LoadError) {
        guard let type = filter.rejectedType(fields, prefix: Array(content.prefix(1_024))) else { return }
        throw LoadError(.unacceptableContentType, url: url, "the content type \(type) is not accepted")
    }

    private var tooLarge: LoadError { loadError(.tooLarge) }

    private func loadError(_ error: ContentCodingError) -> LoadError {
        LoadError(codings.cause(error), url: url, limit: limit)
    }

    /// The value of `Content-Length`; nil when it is missing, invalid, contradictory or overridden by
    /// `Transfer-Encoding`.
    private static func contentLength(_ fields: HeaderFields) -> Int? {
        let lines = fields[lines: "Content-Length"]
        guard let line = lines.first, lines.allSatisfy({ $0 == line }), !fields.contains("Transfer-Encoding") else {
            return nil
        }
        return Int(asciiDigits: line)
    }
}
