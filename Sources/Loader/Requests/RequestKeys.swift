internal import PlatformImage

/// The cache keys of a request, computed once for each request and not for each load.
struct RequestKeys: Hashable, Sendable {
    let variant: ImageVariant
    /// The key of the decoded image in memory; nil for an invalid URL, and when URL and decoding do not determine the
    /// key: with credentials, a partition, or fields that affect caching.
    let imageKey: ImageCacheKey?

    init(
        url: String, fields: HeaderFields, variant: ImageVariant = .complete, partition: String? = nil,
        cacheKey: String? = nil
    ) {
        self.variant = variant
        // An `@` can follow user information; a URL with user information selects a partition.
        let isPlain = partition == nil && !url.utf8.contains(UInt8(ascii: "@")) && !fields.affectCaching
        guard isPlain, let target = CacheKey(url: url),
            let key = cacheKey.map({ CacheKey(url: $0) }) ?? target
        else {
            imageKey = nil
            return
        }
        imageKey = ImageCacheKey(key, variant: variant.name)
    }
}

extension ImageCacheKey {
    /// The key of the image of a stored response, in one decoding variant.
    init(_ key: CacheKey, variant: String) {
        // A URL and the bytes of a key are never equal: a URL begins with `http`, the bytes with a digit or `trust`.
        let isPlain = key.partition.isEmpty && key.trustScope.isEmpty
        let source = isPlain ? key.url : String(decoding: key.bytes, as: UTF8.self)
        self.init(source, variant: variant)
    }
}

extension HeaderFields {
    /// True when a request field can change which stored response is used: cache directives, conditions, a range,
    /// credentials.
    fileprivate var affectCaching: Bool {
        lines.contains { line in
            line.isNamed("Cache-Control") || line.isNamed("Pragma") || line.isNamed("Authorization")
                || line.isNamed("Cookie")
        } || hasCallerConditions
    }
}
