internal import PlatformImage

/// The common properties of image and data requests.
protocol LoadRequest {
    var url: String { get }
    var fields: HeaderFields { get }
    var policy: CachePolicy { get }
    var priority: LoadPriority { get }
    var partition: String? { get }
    var cacheKey: String? { get }
    var layers: CacheLayers { get }
    var keepsDownloadingWhenCancelled: Bool? { get }
    var redirect: RedirectMode { get }
}

extension ImageRequest: LoadRequest {}
extension DataRequest: LoadRequest {}

extension LoadRequest {
    /// The description of the properties that all requests share.
    func loadDescription(of name: String) -> ChangedProperties {
        var text = ChangedProperties(of: name)
        text.add(Redaction.masked(url))
        text.add("policy", policy, default: .default)
        text.add("priority", priority, default: .urgent)
        text.add("fields", text: fields.lines.isEmpty ? nil : fields.namesDescription)
        text.add("partition", text: partition == nil ? nil : Redaction.mask)
        text.add("cacheKey", text: cacheKey.map { Redaction.masked($0) })
        text.add("layers", layers, default: .all)
        text.add("redirect", redirect, default: .follow)
        text.add("keepsDownloadingWhenCancelled", keepsDownloadingWhenCancelled, default: nil)
        return text
    }
}
