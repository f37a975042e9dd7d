#if Loader
extension LoadPipeline {
    /// The request as it goes out, after the host has had its say.
    ///
    /// - Throws: `configuration` for the host's error, and for a change that a host may not make: the response would be
    ///   kept under an address that it is not of.
    func modified(_ request: HTTPRequest) async throws(LoadError) -> HTTPRequest {
        guard let modifier = configuration.requestModifier else { return request }
        let url = Redaction.shown(request.url)
        let changed: HTTPRequest
        do {
            changed = try await modifier(request)
        } catch {
            if Task.isCancelled { throw .cancelled(url: url) }
            throw LoadError(.configuration, url: url, "\(error)")
        }
        if Task.isCancelled { throw .cancelled(url: url) }
        guard changed.method == request.method else {
            throw LoadError(.configuration, url: url, "the request modifier changed the method")
        }
        guard changed.url != request.url else { return changed }
        var (old, new) = (URLReference(request.url.utf8), URLReference(changed.url.utf8))
        old.query = nil
        new.query = nil
        guard new == old, CacheKey.normalised(changed.url) == changed.url else {
            throw LoadError(.configuration, url: url, "the request modifier changed more of the address than its query")
        }
        return changed
    }
}
#endif
