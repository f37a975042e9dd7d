#if Service
/// `POST /post/{signature or unsafe}/{parts}/body`: the picture is the body of the request, and nothing is fetched.
struct PostDialect: Sendable {
    static let prefix = "/post"

    /// How the parts are read and which signatures count.
    var thumbor: ThumborDialect

    /// The request that a target asks for; its source is the body.
    ///
    /// - Parameter target: As it came, `/post` included; that is no part of the signed message.
    /// - Throws: As ``ThumborDialect/parse(_:)``, and `malformed` when the last part is not `body`.
    func parse(_ target: [UInt8]) throws(ServiceError) -> ThumbnailRequest {
        guard target.count <= ThumborDialect.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "a target has at most \(ThumborDialect.maxTargetBytes) bytes")
        }
        guard target.starts(with: Self.prefix.utf8) else { throw .malformed("a target of POST begins with /post") }
        let parts = try thumbor.signing.verified(target.dropFirst(Self.prefix.utf8.count))
        guard parts.query == nil else { throw ServiceError(.queryRefused, "a target of POST has no query") }
        return try thumbor.parse(parts: parts, isBody: true)
    }
}
#endif
