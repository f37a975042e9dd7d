import PlatformImage

/// Parser of thumbor targets: `/{signature or unsafe}/{parts}/{image}` (Docs/service-rules.md 2.1).
struct ThumborDialect: Sendable {
    /// Scheme for source names without a scheme.
    var defaultScheme = "http"
    /// True when source names without a scheme are files below the configured root.
    var readsFiles = false
    /// JPEG quality of results without a `quality` filter, 1 to 100.
    var defaultQuality = 80
    /// Metadata of results whose targets have no filter that strips it.
    var metadata = MetadataPolicy.strip
    /// Refuses unknown filters with status 400; false ignores them.
    var refusesUnknownFilters = false
    /// Presets for the filter `preset`.
    var presets = ThumborPresets()
    /// Policy for the first segment, which is a signature or `unsafe`.
    var signing = SigningPolicy()

    /// Maximum length of a target with its query, in bytes.
    static let maxTargetBytes = SigningPolicy.maxTargetBytes
    /// Maximum number of filters of one target, known or unknown.
    static let maxFilters = 16

    /// Verifies and parses a target.
    ///
    /// - Parameter target: The target as it was received, with its leading slash.
    /// - Throws: `targetTooLong`, `queryRefused`, `badSignature`, `unsafeNotAllowed` or `malformed`.
    func parse(_ target: some Sequence<UInt8>) throws(ServiceError) -> ThumbnailRequest {
        try parse(parts: try signing.verified(target), isBody: false)
    }

    /// Parses the parts after the signature.
    ///
    /// - Parameter isBody: True when the image is the body of the request; the last part is then the word `body`.
    func parse(parts: VerifiedParts, isBody: Bool) throws(ServiceError) -> ThumbnailRequest {
        var scanner = TargetScanner(parts.bytes)
        return try parse(&scanner, isDecoded: parts.isDecoded, query: parts.query, isBody: isBody)
    }

    /// Parses the optional parts, then the source.
    func parse(
        _ scanner: inout TargetScanner, isDecoded: Bool, query: [UInt8]?, isBody: Bool
    ) throws(ServiceError) -> ThumbnailRequest {
        var draft = ThumborDraft(quality: defaultQuality, metadata: metadata)
        draft.presets = presets
        try draft.read(parts: &scanner, isDecoded: isDecoded)
        // A second `filters:`, or a `filters:` without its end, is an error, because no source has such a name.
        guard !scanner.rest.starts(with: ThumborPart.filtersPrefix.utf8) else {
            throw .malformed("the filters are not terminated by `)/`, or `filters:` occurs twice")
        }
        guard !presets.areRequired || (draft.hasPresets && !draft.hasExplicitParts) else {
            throw .malformed("output.presetsOnly is on, but the target contains no preset or contains other options")
        }
        if refusesUnknownFilters, let name = draft.policy.ignoredFilters.first {
            throw .malformed("unknown filter \(name)")
        }
        return try draft.request(from: try source(scanner.rest, isDecoded: isDecoded, query: query, isBody: isBody))
    }

    private func source(
        _ rest: ArraySlice<UInt8>, isDecoded: Bool, query: [UInt8]?, isBody: Bool
    ) throws(ServiceError) -> SourceName {
        if isBody {
            guard rest.elementsEqual("body".utf8) else {
                throw .malformed("the last segment of a POST target must be `body`")
            }
            return .body
        }
        var name = isDecoded ? Array(rest) : PercentEncoding.decode(rest)
        // A target without a source remains invalid, regardless of its query.
        if let query, !name.isEmpty { name += [UInt8(ascii: "?")] + query }
        return try SourceName(named: name, defaultScheme: readsFiles ? nil : defaultScheme)
    }
}

/// Parser of `POST /post/{signature or unsafe}/{parts}/body`: the image is the body of the request, and nothing is
/// fetched.
struct PostDialect: Sendable {
    static let prefix = "/post"

    /// Parser of the signature and of the parts.
    var thumbor: ThumborDialect

    /// Verifies and parses a target; the source of the request is its body.
    ///
    /// - Parameter target: The target as it was received, including `/post`, which is not part of the signed message.
    /// - Throws: The errors of ``ThumborDialect/parse(_:)``, and `malformed` when the last part is not `body`.
    func parse(_ target: [UInt8]) throws(ServiceError) -> ThumbnailRequest {
        guard target.count <= ThumborDialect.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "the target is longer than \(ThumborDialect.maxTargetBytes) bytes")
        }
        guard target.starts(with: Self.prefix.utf8) else { throw .malformed("a POST target must begin with /post") }
        let parts = try thumbor.signing.verified(target.dropFirst(Self.prefix.utf8.count))
        guard parts.query == nil else { throw ServiceError(.queryRefused, "a POST target must not have a query") }
        return try thumbor.parse(parts: parts, isBody: true)
    }
}
