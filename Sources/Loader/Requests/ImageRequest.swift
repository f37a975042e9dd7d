public import PlatformImage

/// A request for an image, with its caching and decoding options.
public struct ImageRequest: Hashable, Sendable {
    /// An http or https URL. Spaces and control characters must be escaped; other bytes that are not allowed in a URL
    /// are escaped before sending. User information is sent as HTTP Basic credentials unless ``fields`` contain
    /// `Authorization`.
    public var url: String { didSet { updateKeys() } }
    /// Header fields of the request, sent unchanged and in this order. After a redirect to another origin, credential
    /// fields and `Host` are no longer sent.
    public var fields: HeaderFields { didSet { updateKeys() } }
    /// Cache policy of the load.
    public var policy = CachePolicy.default
    /// Options of the decoder; requests that differ only in decode options share one download.
    public var decodeOptions = DecodeOptions() { didSet { updateKeys() } }
    /// Size, fit and filter of a thumbnail that the load returns instead of the complete image; nil returns the
    /// complete image.
    ///
    /// For most formats the complete image is never in memory. `DecodeOptions.scaleDenominator` is then ignored. Each
    /// thumbnail size is a variant: it has its own entry in memory, and shares one download with all other variants of
    /// the URL. With an option out of range the load fails with `configuration`.
    public var thumbnail: ThumbnailOptions? { didSet { updateKeys() } }
    /// Steps that change the decoded image or thumbnail, in this order. Each list of processors is a variant, as for
    /// ``thumbnail``.
    public var processors: [ImageProcessor] = [] { didSet { updateKeys() } }
    /// File format in which the result of ``thumbnail`` and ``processors`` is stored on disk in addition to the source;
    /// nil stores only the source.
    ///
    /// A later load decodes this small file instead of the source. The load does not wait until the file is written;
    /// ``ImageLoader/flush()`` does. The file is used only while the stored source is the one that it was made from,
    /// and with the freshness, `Vary` and credentials of that source. Nothing is stored when the source is not on disk
    /// or is damaged. JPEG is lossy and has no transparency, PNG stores equal pixels. Ignored without a thumbnail and
    /// processors.
    public var variantFormat: EncodedFormat? { didSet { updateKeys() } }
    /// Priority of the load when it waits to send its request.
    public var priority = LoadPriority.urgent
    /// Cache partition for responses that depend on the user; nil derives it from the `Authorization` and `Cookie`
    /// fields that are sent.
    public var partition: String? { didSet { updateKeys() } }
    /// An http or https URL that replaces ``url`` in the cache key; nil uses ``url``.
    public var cacheKey: String? { didSet { updateKeys() } }
    /// Cache layers that the load may read and write.
    public var layers = CacheLayers.all
    /// Handling of 3xx responses with a `Location`.
    public var redirect = RedirectMode.follow
    /// True completes and stores the download even if all loads that wait for it are cancelled; nil uses
    /// ``ImageLoader/Configuration/keepsDownloadingWhenCancelled``.
    public var keepsDownloadingWhenCancelled: Bool?
    /// Cache keys derived from the properties above, updated when one of them changes.
    private(set) var keys: RequestKeys

    /// Creates a request; the other properties have their default values.
    ///
    /// The cache keys are computed once for each request value, so reusing a request makes its lookup faster.
    public init(url: String, fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.url = url
        self.fields = fields
        self.policy = policy
        keys = RequestKeys(url: url, fields: fields)
    }

    /// Creates a request for a thumbnail; the other properties have their default values.
    ///
    /// - Parameters:
    ///   - url: As ``url``.
    ///   - thumbnail: As ``thumbnail``. Any number is accepted; the load checks the numbers.
    ///   - processors: As ``processors``.
    ///   - fields: As ``fields``.
    ///   - policy: As ``policy``.
    public init(
        url: String, thumbnail: ThumbnailOptions, processors: [ImageProcessor] = [], fields: HeaderFields = [:],
        policy: CachePolicy = .default
    ) {
        self.init(url: url, fields: fields, policy: policy)
        self.thumbnail = thumbnail
        self.processors = processors
        updateKeys()
    }

    /// Creates a request for an image that `processors` change; the other properties have their default values.
    public init(
        url: String, processors: [ImageProcessor], fields: HeaderFields = [:], policy: CachePolicy = .default
    ) {
        self.init(url: url, fields: fields, policy: policy)
        self.processors = processors
        updateKeys()
    }

    private mutating func updateKeys() {
        keys = RequestKeys(
            url: url, fields: fields, variant: ImageVariant(of: self), partition: partition, cacheKey: cacheKey)
    }
}

extension ImageRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user information and with its query hidden, and the properties that differ from the defaults; of
    /// header fields only the names.
    public var description: String {
        var text = loadDescription(of: "ImageRequest")
        text.add("decodeOptions", decodeOptions, default: DecodeOptions())
        text.add("thumbnail", text: thumbnail.map { "\($0)" })
        text.add("processors", processors, default: [])
        text.add("variantFormat", variantFormat, default: nil)
        return text.text
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` shows only the description.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The cache layers that a load may read and write.
public struct CacheLayers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Allows results from memory.
    public static let readsMemory = Self(rawValue: 1)
    /// Allows storing images in memory, if ``ImageLoader/Configuration/cacheImagesInMemory`` is on.
    public static let writesMemory = Self(rawValue: 2)
    /// Allows results from disk and validation of stored responses.
    public static let readsDisk = Self(rawValue: 4)
    /// Allows storing responses and errors on disk.
    public static let writesDisk = Self(rawValue: 8)
    /// Reads and writes memory only.
    public static let memory: Self = [.readsMemory, .writesMemory]
    /// Reads and writes the disk only.
    public static let disk: Self = [.readsDisk, .writesDisk]
    /// Reads and writes both layers.
    public static let all: Self = [.memory, .disk]
}

extension CacheLayers: CustomStringConvertible {
    /// The names of the layers in the set, in brackets.
    public var description: String {
        let members: [(Self, String)] = [
            (.readsMemory, "readsMemory"), (.writesMemory, "writesMemory"), (.readsDisk, "readsDisk"),
            (.writesDisk, "writesDisk"),
        ]
        return "[\(members.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
    }
}

/// Handling of redirect responses (RFC 9110 §15.4).
public enum RedirectMode: String, Hashable, Sendable, CaseIterable {
    /// Follows up to ``ImageLoader/Configuration/maxRedirects`` redirects.
    case follow
    /// Returns the 3xx response: ``ImageLoader/data(for:)`` returns it as data, and an image load fails with
    /// `unexpectedStatus` and ``LoadError/response``.
    case manual
}
