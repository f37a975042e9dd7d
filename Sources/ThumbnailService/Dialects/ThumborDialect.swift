#if Service
import PlatformImage

/// thumbor's targets: `/{signature or unsafe}/{parts}/{image}` (SERVICE 2.1).
struct ThumborDialect: Sendable {
    /// What stands before a name without a scheme.
    var defaultScheme = "http"
    /// Names without a scheme are files under the configured root.
    var readsFiles = false
    /// 1 to 100, of results for which the target says nothing.
    var defaultQuality = 80
    /// Answers 400 for a filter name that is not known, where it is ignored otherwise.
    var refusesUnknownFilters = false
    /// What the filter `preset` stands for.
    var presets = ThumborPresets()
    /// Which first segments are accepted.
    var signing = SigningPolicy()

    /// The longest target, with its query, in bytes.
    static let maxTargetBytes = SigningPolicy.maxTargetBytes
    /// The most filters of one target, known or not.
    static let maxFilters = 16

    /// The request that a target asks for.
    ///
    /// - Parameter target: As it came, with the slash that it begins with.
    /// - Throws: `targetTooLong`, `queryRefused`, `badSignature`, `unsafeNotAllowed` or `malformed`.
    func parse(_ target: some Sequence<UInt8>) throws(ServiceError) -> ThumbnailRequest {
        try parse(parts: try signing.verified(target), isBody: false)
    }

    /// The request that the parts after the signature ask for.
    ///
    /// - Parameter isBody: The picture comes with the request, and the last part is the word `body`.
    func parse(parts: VerifiedParts, isBody: Bool) throws(ServiceError) -> ThumbnailRequest {
        var scanner = TargetScanner(parts.bytes)
        return try parse(&scanner, isDecoded: parts.isDecoded, query: parts.query, isBody: isBody)
    }

    /// The parts up to the picture, and the picture.
    func parse(
        _ scanner: inout TargetScanner, isDecoded: Bool, query: [UInt8]?, isBody: Bool
    ) throws(ServiceError) -> ThumbnailRequest {
        var draft = ThumborDraft(quality: defaultQuality)
        draft.presets = presets
        try draft.read(parts: &scanner, isDecoded: isDecoded)
        // They come once, and no picture is called like that.
        guard !scanner.rest.starts(with: ThumborPart.filtersPrefix.utf8) else {
            throw .malformed("the filters have no end: `)/` is missing")
        }
        guard !presets.areRequired || (draft.hasPresets && !draft.hasOwnParts) else {
            throw .malformed("a target is made of presets alone")
        }
        if refusesUnknownFilters, let name = draft.policy.ignoredFilters.first {
            throw .malformed("the filter \(name) is not known")
        }
        return try draft.request(from: try source(scanner.rest, isDecoded: isDecoded, query: query, isBody: isBody))
    }

    private func source(
        _ rest: ArraySlice<UInt8>, isDecoded: Bool, query: [UInt8]?, isBody: Bool
    ) throws(ServiceError) -> SourceName {
        if isBody {
            guard rest.elementsEqual("body".utf8) else {
                throw .malformed("a target of POST ends with the word body")
            }
            return .body
        }
        var name = isDecoded ? Array(rest) : PercentEncoding.decode(rest)
        // A target without a picture has no source, whatever its query says.
        if let query, !name.isEmpty { name += [UInt8(ascii: "?")] + query }
        return try SourceName(named: name, defaultScheme: readsFiles ? nil : defaultScheme)
    }
}

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
