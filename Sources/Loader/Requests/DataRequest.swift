public import PlatformImage

/// A request for the bytes of a resource, without decoding.
public struct DataRequest: Hashable, Sendable {
    /// An http or https URL; escaping and user information as in ``ImageRequest/url``.
    public var url: String
    /// As in ``ImageRequest/fields``.
    public var fields: HeaderFields
    /// Cache policy of the load.
    public var policy = CachePolicy.default
    /// Priority of the load when it waits to send its request.
    public var priority = LoadPriority.urgent
    /// Content types that are accepted; nil accepts any.
    public var acceptedContentTypes: Set<ContentType>?
    /// As in ``ImageRequest/partition``.
    public var partition: String?
    /// As in ``ImageRequest/cacheKey``.
    public var cacheKey: String?
    /// As in ``ImageRequest/layers``; data is never cached in memory.
    public var layers = CacheLayers.all
    /// As in ``ImageRequest/redirect``.
    public var redirect = RedirectMode.follow
    /// As in ``ImageRequest/keepsDownloadingWhenCancelled``.
    public var keepsDownloadingWhenCancelled: Bool?

    /// Creates a request; the other properties have their default values.
    public init(url: String, fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.url = url
        self.fields = fields
        self.policy = policy
    }
}

extension DataRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user information and with its query hidden, and the properties that differ from the defaults; of
    /// header fields only the names.
    public var description: String {
        var text = loadDescription(of: "DataRequest")
        let types = acceptedContentTypes?.map(\.description).sorted().joined(separator: ", ")
        text.add("acceptedContentTypes", text: types.map { "[\($0)]" })
        return text.text
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
