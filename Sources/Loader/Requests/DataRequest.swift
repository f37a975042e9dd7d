#if Loader
public import PlatformImage

/// What bytes to load, and how.
public struct DataRequest: Hashable, Sendable {
    /// http or https.
    public var url: String
    /// Sent as they are, in this order.
    public var fields: HeaderFields
    /// How what is stored is used.
    public var policy = CachePolicy.default
    /// Which queue the load waits in.
    public var priority = LoadPriority.urgent
    /// Types of which the bytes may be; nil for any.
    public var acceptedContentTypes: Set<ContentType>?
    /// As in ``ImageRequest/partition``.
    public var partition: String?
    /// As in ``ImageRequest/cacheKey``.
    public var cacheKey: String?
    /// As in ``ImageRequest/layers``; data is not kept in memory.
    public var layers = CacheLayers.all
    /// As in ``ImageRequest/redirect``.
    public var redirect = RedirectMode.follow
    /// As in ``ImageRequest/keepsDownloadingWhenCancelled``.
    public var keepsDownloadingWhenCancelled: Bool?

    /// A request with the defaults.
    public init(url: String, fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.url = url
        self.fields = fields
        self.policy = policy
    }
}

extension DataRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address, without user information and with its query cut, and what is not the default; of fields the names alone.
    public var description: String {
        var text = loadDescription(of: "DataRequest")
        let types = acceptedContentTypes?.map(\.description).sorted().joined(separator: ", ")
        text.add("acceptedContentTypes", text: types.map { "[\($0)]" })
        return text.text
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
