#if Loader
internal import PlatformImage

/// One hop of a load: what is looked for, and what goes out if it must.
struct LoadHop: Sendable {
    let key: CacheKey
    /// Without user information and fragment.
    let url: String
    /// As the caller means it, with credentials.
    let request: CacheRequest
    let load: Load

    /// The name of the picture in memory.
    var imageKey: ImageCacheKey { ImageCacheKey(key, variant: load.decoding?.variant ?? "") }

    /// What the request says in the fields that a stored response varies by.
    func varying(_ names: [String]) -> [VaryValue] { Vary.values(of: Set(names), request: request.fields) }

    /// The same hop with a meter of its own, for a fetch that several loads may share.
    func metered() -> LoadHop {
        var load = load
        load.meter = LoadMeter()
        return LoadHop(key: key, url: url, request: request, load: load)
    }
}
#endif
