#if Loader
internal import PlatformImage

/// What the caches know a request's picture by, worked out once a request and not once a load.
struct RequestKeys: Hashable, Sendable {
    /// How the picture is decoded, as in ``ImageCacheKey/variant``.
    let variant: String
    /// The picture in memory; nil unless the request alone names it, by an address and its decoding: without
    /// credentials, a partition, or fields that have a say in what is stored.
    let imageKey: ImageCacheKey?

    init(
        url: String, fields: HeaderFields, decodeOptions: DecodeOptions? = nil, partition: String? = nil,
        cacheKey: String? = nil
    ) {
        variant = decodeOptions?.cacheVariant ?? ""
        // Where there is an `@` there may be user information, which makes a partition.
        let isPlain = partition == nil && !url.utf8.contains(UInt8(ascii: "@")) && !fields.haveASayInCaching
        guard isPlain, let target = CacheKey(url: url),
            let key = cacheKey.map({ CacheKey(url: $0) }) ?? target
        else {
            imageKey = nil
            return
        }
        imageKey = ImageCacheKey(key, variant: variant)
    }
}

extension ImageCacheKey {
    /// The picture of a stored response, decoded in a certain way.
    init(_ key: CacheKey, variant: String) {
        // An address begins with `http`, the other forms with a digit or with `trust`.
        let isPlain = key.partition.isEmpty && key.trustScope.isEmpty
        let source = isPlain ? key.url : String(decoding: key.bytes, as: UTF8.self)
        self.init(source, variant: variant)
    }
}

extension HeaderFields {
    /// True when a field of the request may keep it from being answered as one without fields is: directives,
    /// conditions, a range, credentials.
    fileprivate var haveASayInCaching: Bool {
        lines.contains { line in
            line.isNamed("Cache-Control") || line.isNamed("Pragma") || line.isNamed("Authorization")
                || line.isNamed("Cookie")
        } || hasOwnConditions
    }
}
#endif
