import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoader

/// Serves the page at `/gallery` with its resources, when the configuration enables it.
struct GalleryHandler: RouteHandler {
    private static let path = "/gallery"
    private static let imagesPath = path + "/pictures/"
    private static let clearingPaths: Set<String> = ["/gallery/clear-memory", "/gallery/purge-disk"]

    private let engine: ThumbnailEngine
    private let targets: GalleryTargets
    private let page: [UInt8]
    /// Host names under which the page is served, in lower case, including `localhost`. The page is also served under
    /// every IP address.
    private let hosts: Set<String>
    /// Secret that requests to clear a cache must send (CSRF protection); only scripts of the page can read it.
    let token: String

    /// Creates the handler; nil when the configuration has no gallery.
    ///
    /// - Throws: `internalFault` for invalid signing keys.
    init?(_ engine: ThumbnailEngine) throws(ServiceError) {
        guard let gallery = engine.configuration.gallery else { return nil }
        self.engine = engine
        let targets = try GalleryTargets(gallery, engine.configuration)
        self.targets = targets
        let token = String(hexadecimal: secureRandomBytes(32))
        self.token = token
        page = Array(GalleryPage.html(token: token, sides: targets.sides, count: targets.count).utf8)
        var hosts: Set<String> = [engine.configuration.server.host.lowercased(), "localhost"]
        if let url = engine.configuration.server.publicURL, let target = try? SourceTarget(url) {
            hosts.insert(target.host.description)
        }
        self.hosts = hosts
    }

    /// Returns true for `/gallery` and the targets below it.
    func handles(_ target: String) -> Bool { target == Self.path || target.hasPrefix(Self.path + "/") }

    /// Returns the methods that a target supports: POST for the targets that clear a cache.
    func supportedMethods(_ target: String) -> String {
        Self.clearingPaths.contains(target) ? "OPTIONS, POST" : "GET, HEAD, OPTIONS"
    }

    /// Serves a request.
    ///
    /// - Throws: `hostRefused` for an unknown host, `methodNotAllowed`, `notFound`, and `badSignature` with status 403
    ///   when a request to clear a cache is cross-site or has no valid token.
    func respond(to request: ServiceRequest) async throws(ServiceError) -> ServiceResponse {
        guard isAllowedHost(request.authority) else {
            throw ServiceError(
                .hostRefused, "the host of the request is neither an IP address nor a host name of the gallery")
        }
        let target = request.target
        switch (target, request.method) {
        case ("/gallery/clear-memory", .post):
            try verifyToken(request)
            engine.results.clearMemory()
            return state
        case ("/gallery/purge-disk", .post):
            try verifyToken(request)
            await engine.results.purgeDisk()
            await engine.sources.purgeDisk()
            return state
        case ("/gallery/clear-memory", _), ("/gallery/purge-disk", _):
            throw ServiceError(.methodNotAllowed, "clearing a cache requires the method POST")
        case (_, .get), (_, .head): return try document(target)
        default: throw ServiceError(.methodNotAllowed, "the gallery supports the methods GET and HEAD")
        }
    }

    private func document(_ target: String) throws(ServiceError) -> ServiceResponse {
        switch target {
        case Self.path: return Self.response(page, "text/html; charset=utf-8")
        case "/gallery/gallery.css": return Self.response(GalleryPage.style, "text/css; charset=utf-8")
        case "/gallery/gallery.js": return Self.response(GalleryPage.script, "text/javascript; charset=utf-8")
        case "/gallery/icon.svg": return Self.response(GalleryPage.icon, "image/svg+xml")
        case "/gallery/state": return state
        default:
            guard target.hasPrefix(Self.imagesPath), let side = Int(target.dropFirst(Self.imagesPath.count)),
                let json = targets.json(side: side)
            else { throw ServiceError(.notFound, "the gallery has no page with this path") }
            return Self.response(Array(json.utf8), "application/json")
        }
    }

    private var state: ServiceResponse {
        Self.response(Array(GalleryState(engine).json.utf8), "application/json")
    }

    /// Returns true for IP addresses and for ``hosts`` (protection against DNS rebinding). If the name of another site
    /// resolved to this service, scripts of that site would have the same origin as the page and could read the token.
    /// The page is therefore served only under names that another site cannot use.
    private func isAllowedHost(_ authority: String?) -> Bool {
        guard let authority, let host = SourceHost(Self.host(in: authority)) else { return false }
        if case .address = host { return true }
        return hosts.contains(host.description)
    }

    /// Returns the host without its port; empty, which is not a valid host, when the port is not a number.
    private static func host(in authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") else { return authority }
        let port = authority[authority.index(after: colon)...]
        return port.utf8.allSatisfy(\.isASCIIDigit) ? String(authority[..<colon]) : ""
    }

    private func verifyToken(_ request: ServiceRequest) throws(ServiceError) {
        let sentToken = request[.galleryToken] ?? ""
        let site = request[.fetchSite] ?? "same-origin"
        guard isEqualInConstantTime(Array(sentToken.utf8), Array(token.utf8)), site == "same-origin" else {
            throw ServiceError(
                .badSignature, status: 403, "the request is cross-site or lacks the token of the gallery page")
        }
    }

    private static func response(_ body: [UInt8], _ type: String) -> ServiceResponse {
        ServiceResponse(
            status: 200,
            fields: [
                .contentType: type, .cacheControl: "no-store", .contentSecurityPolicy: GalleryPage.policy,
                .referrerPolicy: "no-referrer", .openerPolicy: "same-origin", .resourcePolicy: "same-origin",
            ], body: body)
    }
}

extension FieldName {
    fileprivate static let galleryToken = FieldName("X-Gallery-Token")
    fileprivate static let fetchSite = FieldName("Sec-Fetch-Site")
    fileprivate static let referrerPolicy = FieldName("Referrer-Policy")
    fileprivate static let openerPolicy = FieldName("Cross-Origin-Opener-Policy")
    fileprivate static let resourcePolicy = FieldName("Cross-Origin-Resource-Policy")
}
