internal import PlatformImage

extension ImageLoader.Configuration: CustomStringConvertible, CustomReflectable {
    /// The settings that differ from the defaults, in one line. Closures appear as `set`, credentials without the
    /// password; certificates are omitted.
    public var description: String {
        let other = Self()
        var text = ChangedProperties(of: "Configuration")
        addCaches(to: &text, other)
        addNetwork(to: &text, other)
        addPolicy(to: &text, other)
        addLimits(to: &text, other)
        addReports(to: &text, other)
        return text.text
    }

    /// A mirror without children, so that reflection does not reveal the values.
    public var customMirror: Mirror { Mirror(self, children: []) }

    private func addCaches(to text: inout ChangedProperties, _ other: Self) {
        text.add("cacheImagesInMemory", cacheImagesInMemory, default: other.cacheImagesInMemory)
        text.add("memoryCacheMaxBytes", memoryCacheMaxBytes, default: other.memoryCacheMaxBytes)
        text.add("memoryCacheMaxCount", memoryCacheMaxCount, default: other.memoryCacheMaxCount)
        text.add("retainsEncodedData", retainsEncodedData, default: other.retainsEncodedData)
        text.add("cacheDirectory", cacheDirectory, default: other.cacheDirectory)
        text.add("dataDirectory", dataDirectory, default: other.dataDirectory)
        text.add("diskCacheMaxBytes", diskCacheMaxBytes, default: other.diskCacheMaxBytes)
    }

    private func addNetwork(to text: inout ChangedProperties, _ other: Self) {
        text.add("trust", trust, default: other.trust)
        text.add("timeouts", timeouts, default: other.timeouts)
        text.add("basicAuth", text: basicAuth?.description)
        let origins = credentialOrigins.map(\.description).sorted().joined(separator: ", ")
        text.add("credentialOrigins", text: origins.isEmpty ? nil : "[\(origins)]")
        text.add("negativeCacheMaxAge", negativeCacheMaxAge, default: other.negativeCacheMaxAge)
        text.add("negativeCacheMaxCount", negativeCacheMaxCount, default: other.negativeCacheMaxCount)
        text.add("requestModifier", text: requestModifier == nil ? nil : "set")
        text.add("userAgent", userAgent, default: other.userAgent)
        text.add("maxRedirects", maxRedirects, default: other.maxRedirects)
    }

    private func addPolicy(to text: inout ChangedProperties, _ other: Self) {
        cacheSettings.add(to: &text)
        let types = acceptedContentTypes.map(\.description).sorted().joined(separator: ", ")
        text.add(
            "acceptedContentTypes", text: acceptedContentTypes == other.acceptedContentTypes ? nil : "[\(types)]")
    }

    private func addLimits(to text: inout ChangedProperties, _ other: Self) {
        text.add("maxResponseBytes", maxResponseBytes, default: other.maxResponseBytes)
        text.add("decodeLimits", decodeLimits, default: other.decodeLimits)
        text.add("isolation", text: isolation.workers == nil ? nil : "set")
        text.add("maxDecodedBytes", maxDecodedBytes, default: other.maxDecodedBytes)
        text.add("maxInFlightDecodedBytes", maxInFlightDecodedBytes, default: other.maxInFlightDecodedBytes)
        text.add("urgentWidth", urgentWidth, default: other.urgentWidth)
        text.add("slowWidth", slowWidth, default: other.slowWidth)
        text.add("retry", text: "\(retry)" == "\(other.retry)" ? nil : "\(retry)")
        text.add("maxRetryDelay", maxRetryDelay, default: other.maxRetryDelay)
        text.add(
            "keepsDownloadingWhenCancelled", keepsDownloadingWhenCancelled,
            default: other.keepsDownloadingWhenCancelled)
    }

    private func addReports(to text: inout ChangedProperties, _ other: Self) {
        text.add("eventCategories", eventCategories.rawValue, default: other.eventCategories.rawValue)
        text.add("eventSink", text: eventSink == nil ? nil : "set")
        text.add("recordSink", text: recordSink == nil ? nil : "set")
        text.add("logCacheMisses", logCacheMisses, default: other.logCacheMisses)
        text.add("logResponseWarnings", logResponseWarnings, default: other.logResponseWarnings)
        text.add("redactURL", text: redactURL == nil ? nil : "set")
    }
}
