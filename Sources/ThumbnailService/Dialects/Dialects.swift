#if Service
import HTTPTypes

/// Which targets belong to whom: POST under `/post/`, IIIF under `/iiif/3/`, all else thumbor's. No first segment of one
/// can be another's, since signatures have 28 or 44 characters.
struct Dialects: Sendable {
    /// What a target asks for, and how its answer looks.
    enum Wish: Sendable {
        case picture(ThumbnailRequest, DialectName)
        /// `info.json` of IIIF; the identifier as it was sent.
        case info(ThumbnailRequest, rawIdentifier: String)
        /// Answered with 303 to this path.
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
        dialect.presets = try ThumborPresets(output.presets, areRequired: output.presetsOnly)
        sizes = AllowedSizes(widths: Set(output.sizes))
        dialect.signing = try SigningPolicy(configuration.signing)
        thumbor = dialect
        post = PostDialect(thumbor: dialect)
        iiif = configuration.iiif == nil ? nil : IIIFDialect(defaultQuality: configuration.output.quality)
    }

    func name(of target: String) -> DialectName {
        if target.hasPrefix(PostDialect.prefix + "/") { return .post }
        if iiif != nil, target.hasPrefix(IIIFDialect.prefix) { return .iiif }
        return .thumbor
    }

    /// - Throws: As the dialect whose target it is.
    func parse(_ target: String) throws(ServiceError) -> Wish {
        switch name(of: target) {
        case .iiif:
            guard let iiif else { throw .malformed("the dialect is not switched on") }
            switch try iiif.parse(Array(target.utf8)) {
            case .image(let request): return .picture(request, .iiif)
            case .info(let request, let rawIdentifier): return .info(request, rawIdentifier: rawIdentifier)
            case .redirect(let path): return .redirect(path)
            }
        case .post: throw ServiceError(.methodNotAllowed, "a target under /post takes a POST")
        case .thumbor, .none: return .picture(try allowed(thumbor.parse(target.utf8)), .thumbor)
        }
    }

    /// - Throws: As ``parse(_:)``.
    func parsePost(_ target: String) throws(ServiceError) -> Wish {
        guard name(of: target) == .post else {
            throw ServiceError(.methodNotAllowed, "a POST goes to a target under /post")
        }
        return .picture(try allowed(post.parse(Array(target.utf8))), .post)
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

/// The sizes that targets may name, so that nobody can have a picture rendered in all of them.
struct AllowedSizes: Hashable, Sendable {
    /// Widths in pixels; empty for any size.
    var widths: Set<Int> = []

    /// Looks at the width that a target names, at the height where it names none. What is fitted may become narrower.
    ///
    /// A IIIF target is not bound: its regions can be anything, and its map is the list of what is allowed.
    ///
    /// - Throws: `limit` for another size, and for a target that names none.
    func check(_ request: ThumbnailRequest) throws(ServiceError) {
        guard !widths.isEmpty, case .thumbor(let size) = request.operations.size else { return }
        // A description alone renders nothing.
        guard request.output.kind != .meta(blurHash: false) else { return }
        switch (size.width, size.height) {
        case (.pixels(let side), _), (.proportional, .pixels(let side)):
            guard widths.contains(side) else { throw ServiceError(.limit, "the size \(side) is not allowed") }
        default: throw ServiceError(.limit, "the target names no size that is allowed")
        }
    }
}
#endif
