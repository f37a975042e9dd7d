#if Loader
public import PlatformImage

/// What picture to load, and how.
public struct ImageRequest: Hashable, Sendable {
    /// http or https; spaces and control characters must be escaped, while other bytes that no address may have are
    /// escaped for sending. User information in it is sent as basic authentication unless ``fields`` have `Authorization`.
    public var url: String { didSet { renewKeys() } }
    /// Sent as they are, in this order.
    public var fields: HeaderFields { didSet { renewKeys() } }
    /// How what is stored is used.
    public var policy = CachePolicy.default
    /// How the bytes become a picture; requests that differ in this alone share one download.
    public var decodeOptions = DecodeOptions() { didSet { renewKeys() } }
    /// Which queue the load waits in.
    public var priority = LoadPriority.urgent
    /// Separates answers that depend on who asks; nil derives it from the credentials among ``fields``.
    public var partition: String? { didSet { renewKeys() } }
    /// An http or https address that names the picture in the caches in place of ``url``; nil for the address itself.
    public var cacheKey: String? { didSet { renewKeys() } }
    /// What the load reads and writes besides the network.
    public var layers = CacheLayers.all
    /// What becomes of a response that points elsewhere.
    public var redirect = RedirectMode.follow
    /// True lets the download end and be stored although nobody waits any more; nil as the configuration says.
    public var keepsDownloadingWhenCancelled: Bool?
    /// Follows from the properties above.
    private(set) var keys: RequestKeys

    /// A request with the defaults.
    ///
    /// It names the picture once for all its uses: a request that is used again is looked up faster than a new one.
    public init(url: String, fields: HeaderFields = [:], policy: CachePolicy = .default) {
        self.url = url
        self.fields = fields
        self.policy = policy
        keys = RequestKeys(url: url, fields: fields)
    }

    private mutating func renewKeys() {
        keys = RequestKeys(
            url: url, fields: fields, decodeOptions: decodeOptions, partition: partition, cacheKey: cacheKey)
    }
}

extension ImageRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address, without user information and with its query cut, and what is not the default; of fields the names alone.
    public var description: String {
        var text = loadDescription(of: "ImageRequest")
        text.add("decodeOptions", decodeOptions, default: DecodeOptions())
        return text.text
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which caches a load may use.
public struct CacheLayers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Answers from memory.
    public static let readsMemory = Self(rawValue: 1)
    /// Keeps pictures in memory, if the configuration does at all.
    public static let writesMemory = Self(rawValue: 2)
    /// Answers from disk, and validates what is there.
    public static let readsDisk = Self(rawValue: 4)
    /// Stores responses and remembers errors.
    public static let writesDisk = Self(rawValue: 8)
    /// Memory alone.
    public static let memory: Self = [.readsMemory, .writesMemory]
    /// The disk alone.
    public static let disk: Self = [.readsDisk, .writesDisk]
    /// Everything.
    public static let all: Self = [.memory, .disk]
}

extension CacheLayers: CustomStringConvertible {
    /// The names of its members, in brackets.
    public var description: String {
        let members: [(Self, String)] = [
            (.readsMemory, "readsMemory"), (.writesMemory, "writesMemory"), (.readsDisk, "readsDisk"),
            (.writesDisk, "writesDisk"),
        ]
        return "[\(members.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
    }
}

/// What a load does with a response that points elsewhere (RFC 9110 §15.4).
public enum RedirectMode: String, Hashable, Sendable, CaseIterable {
    /// Goes there, as often as ``ImageLoader/Configuration/maxRedirects`` allows.
    case follow
    /// Gives the 3xx back: ``ImageLoader/data(for:)`` returns it, and for a picture it is the error `unexpectedStatus`
    /// with ``LoadError/response``.
    case manual
}
#endif
