/// A resource, and the responses that a file server sends for it.
public struct OriginResource: Sendable {
    /// The content.
    public var body: [UInt8]
    /// The media type of the content.
    public var contentType: String
    /// A strong or weak entity tag including quotes (RFC 9110 §8.8.3); nil for none.
    public var etag: String?
    /// `max-age` in seconds; nil sends no Cache-Control.
    public var maxAge: Int?

    /// Creates a resource from its parts.
    public init(_ body: [UInt8], contentType: String, etag: String? = nil, maxAge: Int? = nil) {
        self.body = body
        self.contentType = contentType
        self.etag = etag
        self.maxAge = maxAge
    }

    /// Returns 304 when If-None-Match equals the entity tag (RFC 9110 §13.1.2), otherwise 200 with the content.
    public func response(to request: OriginRequest) -> OriginResponse {
        var fields: [OriginField] = []
        if let etag { fields.append(OriginField("ETag", etag)) }
        if let maxAge { fields.append(OriginField("Cache-Control", "max-age=\(maxAge)")) }
        if let etag, request["If-None-Match"] == etag { return OriginResponse(status: 304, fields: fields) }
        return OriginResponse(fields: [OriginField("Content-Type", contentType)] + fields, body: body)
    }
}
