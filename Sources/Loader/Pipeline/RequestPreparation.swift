internal import PlatformImage

/// Validates the request of a load, adds credentials, and computes the cache key of each request of the redirect chain.
struct RequestPreparation: Sendable {
    let credentials: Credentials
    /// As in ``ImageLoader/Configuration/userAgent``.
    let userAgent: String?
    let maxRedirects: Int
    let partitionKey: PartitionKey
    let trustScope: TrustScope

    /// The validated first request of a load.
    ///
    /// - Throws: `invalidURL` or `unsupportedScheme` for the URL, `invalidURL` for the cache key, `configuration` for
    ///   decode or thumbnail options out of range.
    func checkedChain(for load: Load) throws(LoadError) -> RedirectChain {
        guard CacheKey.normalised(load.url) != nil else { throw Self.urlError(load) }
        guard load.cacheKey.map({ CacheKey(url: $0) != nil }) ?? true else {
            throw load.error(.invalidURL, "the cache key is not a valid http or https URL")
        }
        do throws(DecodeError) { try load.decoding?.decoder.options.check() } catch {
            throw load.error(.configuration, "decodeOptions: \(error.message)")
        }
        do throws(DecodeError) { try load.decoding?.steps.thumbnail?.check() } catch {
            throw load.error(.configuration, "thumbnail: \(error.message)")
        }
        return chain(for: load)
    }

    /// The first request of a load, with credentials and User-Agent.
    func chain(for load: Load) -> RedirectChain {
        var fields = load.fields
        if let userAgent, !fields.contains("User-Agent") { fields.append("User-Agent", userAgent) }
        return RedirectChain(
            credentials.applied(to: HTTPRequest(url: load.url, fields: fields)), maxRedirects: maxRedirects)
    }

    /// The current request of a redirect chain with its cache key; nil for an invalid URL.
    func hop(of chain: RedirectChain, _ load: Load) -> LoadHop? {
        let request = chain.request
        let isFirst = chain.hops == 0
        let partition = load.partition ?? partitionKey.partition(of: request.fields)
        let name = isFirst ? load.cacheKey ?? request.url : request.url
        // The trust scope belongs to the host of the request, also when a cache key replaces the URL.
        guard let key = CacheKey(url: name, partition: partition, trustScope: trustScope.name(of: request.url)),
            let target = isFirst && load.cacheKey != nil ? CacheKey.normalised(request.url) : key.url
        else { return nil }
        return LoadHop(
            key: key, url: target, request: CacheRequest(fields: request.fields, policy: load.policy), load: load)
    }

    /// The current request of a redirect chain with its cache key.
    ///
    /// - Throws: `invalidURL` or `unsupportedScheme`.
    func checkedHop(of chain: RedirectChain, _ load: Load) throws(LoadError) -> LoadHop {
        guard let hop = hop(of: chain, load) else { throw Self.urlError(load) }
        return hop
    }

    /// Advances to the target of a redirect.
    ///
    /// - Throws: `redirect`, with the response.
    func follow(_ head: ResponseHead, _ chain: inout RedirectChain, _ load: Load) throws(LoadError) {
        let next: HTTPRequest?
        do throws(LoadError) { next = try chain.follow(head) } catch { throw error.withResponse(FailedResponse(head)) }
        guard next != nil else {
            throw load.error(.redirect, "status \(head.status) without a Location field").withResponse(
                FailedResponse(head))
        }
    }

    /// Message for an http or https URL that does not parse.
    private static let malformed =
        "the URL is malformed: it contains a space or a control character, or its host or port is invalid"

    private static func urlError(_ load: Load) -> LoadError {
        let scheme = URLReference(load.url.utf8).scheme.map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard let scheme, scheme != "http", scheme != "https" else {
            return load.error(
                .invalidURL,
                load.url.isEmpty
                    ? "the URL is empty" : scheme == nil ? "the URL is not an http or https URL" : malformed)
        }
        return load.error(.unsupportedScheme, "the scheme \(scheme) is not supported")
    }
}
