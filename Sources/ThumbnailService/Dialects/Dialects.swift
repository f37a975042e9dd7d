/// Selects the dialect (URL syntax) of a request target by its prefix: POST under `/post/`, IIIF under `/iiif/3/` if
/// the configuration enables it, thumbor otherwise. The prefixes cannot be confused with signatures, which have 28 or
/// 44 characters.
struct Dialects: Sendable {
    /// A parsed target with the form of its response.
    enum ParsedTarget: Sendable {
        case image(ThumbnailRequest, DialectName)
        /// `info.json` of IIIF, with the identifier as it was sent.
        case info(ThumbnailRequest, rawIdentifier: String)
        /// A redirect with status 303 to this path of `info.json`.
        case redirect(String)
    }

    private let thumbor: ThumborDialect
    private let post: PostDialect
    private let iiif: IIIFDialect?
    private let sizes: AllowedSizes

    init(_ configuration: ServiceConfiguration) throws(ServiceError) {
        var dialect = ThumborDialect()
        dialect.defaultScheme = configuration.source.defaultScheme
        dialect.readsFiles = configuration.source.fileRoot != nil
        dialect.defaultQuality = configuration.output.quality
        dialect.refusesUnknownFilters = configuration.output.refusesUnknownFilters
        let output = configuration.output
        dialect.metadata = output.metadata.policy
        dialect.presets = try ThumborPresets(output.presets, areRequired: output.presetsOnly)
        sizes = AllowedSizes(widths: Set(output.sizes))
        dialect.signing = try SigningPolicy(configuration.signing)
        thumbor = dialect
        post = PostDialect(thumbor: dialect)
        iiif =
            configuration.iiif == nil
            ? nil : IIIFDialect(defaultQuality: configuration.output.quality, metadata: output.metadata.policy)
    }

    func name(of target: String) -> DialectName {
        if target.hasPrefix(PostDialect.prefix + "/") { return .post }
        if iiif != nil, target.hasPrefix(IIIFDialect.prefix) { return .iiif }
        return .thumbor
    }

    /// Parses the target of a GET or HEAD request.
    ///
    /// - Throws: The errors of the target's dialect, `methodNotAllowed` for a target under `/post`, and `limit` for a
    ///   size that is not allowed.
    func parse(_ target: String) throws(ServiceError) -> ParsedTarget {
        switch name(of: target) {
        case .iiif:
            guard let iiif else { throw .malformed("the IIIF dialect is disabled") }
            switch try iiif.parse(Array(target.utf8)) {
            case .image(let request): return .image(request, .iiif)
            case .info(let request, let rawIdentifier): return .info(request, rawIdentifier: rawIdentifier)
            case .redirect(let path): return .redirect(path)
            }
        case .post: throw ServiceError(.methodNotAllowed, "a target under /post requires the method POST")
        case .thumbor, .none: return .image(try allowed(thumbor.parse(target.utf8)), .thumbor)
        }
    }

    /// Parses the target of a POST request.
    ///
    /// - Throws: The errors of the dialect, `methodNotAllowed` for a target outside `/post`, and `limit` for a size
    ///   that is not allowed.
    func parsePost(_ target: String) throws(ServiceError) -> ParsedTarget {
        guard name(of: target) == .post else {
            throw ServiceError(.methodNotAllowed, "the method POST requires a target under /post")
        }
        return .image(try allowed(post.parse(Array(target.utf8))), .post)
    }

    private func allowed(_ request: ThumbnailRequest) throws(ServiceError) -> ThumbnailRequest {
        try sizes.check(request)
        return request
    }
}

extension SigningPolicy {
    init(_ configuration: ServiceConfiguration.Signing) throws(ServiceError) {
        self.init()
        allowsUnsafe = configuration.allowsUnsafe
        query = configuration.signsQueries ? .signed : .refuse
        acceptsDecoded = configuration.acceptsDecoded
        guard !configuration.keys.isEmpty else { return }
        do throws(SigningKeys.KeyError) {
            keys = try SigningKeys(configuration.keys, algorithms: configuration.algorithms)
        } catch {
            throw ServiceError(.internalFault, error.description)
        }
    }
}

/// Allow list of sizes, so that clients cannot request renders in an unlimited number of sizes.
struct AllowedSizes: Hashable, Sendable {
    /// Allowed widths in pixels; empty for any size.
    var widths: Set<Int> = []

    /// Checks the width of a target, or its height when it has no width. With `fit-in`, the result may be narrower than
    /// the checked width.
    ///
    /// IIIF targets are not checked: their regions are arbitrary, and the map of identifiers is their allow list.
    ///
    /// - Throws: `limit` for a size that is not allowed, and for a target without a size.
    func check(_ request: ThumbnailRequest) throws(ServiceError) {
        guard !widths.isEmpty, case .thumbor(let size) = request.operations.size else { return }
        // Metadata alone needs no render.
        guard request.output.kind != .meta(blurHash: false) else { return }
        switch (size.width, size.height) {
        case (.pixels(let side), _), (.proportional, .pixels(let side)):
            guard widths.contains(side) else {
                throw ServiceError(.limit, "the size \(side) is not in output.sizes")
            }
        default:
            throw ServiceError(
                .limit, "output.sizes requires a width in pixels, or a height in pixels without a width")
        }
    }
}
