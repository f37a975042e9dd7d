#if AsyncHTTPClient
/// What is under an address, and how a file server answers for it.
public struct OriginResource: Sendable {
    /// The content.
    public var body: [UInt8]
    /// Its media type.
    public var contentType: String
    /// A strong or weak entity tag with its quotes (RFC 9110 §8.8.3); nil for none.
    public var etag: String?
    /// Seconds of freshness; nil says nothing about caching.
    public var maxAge: Int?

    /// A resource of these parts.
    public init(_ body: [UInt8], contentType: String, etag: String? = nil, maxAge: Int? = nil) {
        self.body = body
        self.contentType = contentType
        self.etag = etag
        self.maxAge = maxAge
    }

    /// 304 to a request that has the tag already (RFC 9110 §13.1.2), 200 with the content to others.
    public func response(to request: OriginRequest) -> OriginResponse {
        var fields: [OriginField] = []
        if let etag { fields.append(OriginField("ETag", etag)) }
        if let maxAge { fields.append(OriginField("Cache-Control", "max-age=\(maxAge)")) }
        if let etag, request["If-None-Match"] == etag { return OriginResponse(status: 304, fields: fields) }
        return OriginResponse(fields: [OriginField("Content-Type", contentType)] + fields, body: body)
    }
}
#endif
