import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// Loader configuration from an `open` request.
struct PipeConfiguration: Sendable {
    /// The defaults of `imagetool pipe`, changed by the directory and the keys of the request.
    private(set) var configuration = ImageLoader.Configuration()
    /// Unknown keys, in the order of the request.
    private(set) var ignored: [String] = []

    init(_ line: JSON) throws(PipeRequest.Refusal) {
        configuration.cacheImagesInMemory = true
        configuration.retainsEncodedData = true
        configuration.retry = .none
        configuration.acceptedContentTypes = [.anyImage]
        let directory = try Self.directory(line)
        configuration.cacheDirectory = directory
        // The data cache uses a subfolder of the image cache's folder; the image cache ignores this subfolder.
        configuration.dataDirectory = directory.map { $0 + "/data" }
        guard let config = line["config"] else { return }
        guard case .object(let members) = config else { throw .malformed("config must be an object") }
        for (key, value) in members where try !set(key, value) { ignored.append(key) }
    }

    /// Absolute path of the disk cache; `nil` for a loader without a disk cache.
    private static func directory(_ line: JSON) throws(PipeRequest.Refusal) -> String? {
        guard line["directory"] != nil else { return nil }
        let path = try line.text("directory")
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw .malformed("directory must be an absolute path without null characters")
        }
        return path
    }

    /// Sets one key; returns false when it is unknown.
    private mutating func set(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> Bool {
        switch key {
        case "useServerCachePolicy": configuration.useServerCachePolicy = try Self.flag(key, value)
        case "cacheImagesInMemory": configuration.cacheImagesInMemory = try Self.flag(key, value)
        case "defaultCacheControlMaxAge":
            configuration.defaultCacheControlMaxAge = try Self.duration(key, value)
        case "defaultCacheControlMaxAgeForErrors":
            configuration.defaultCacheControlMaxAgeForErrors = try Self.duration(key, value)
        case "negativeCacheMaxAge":
            configuration.negativeCacheMaxAge = value.isNull ? nil : try Self.duration(key, value)
        case "maxAttemptsForErrors": configuration.maxAttemptsForErrors = try Self.count(key, value)
        case "memoryCacheMaxBytes": configuration.memoryCacheMaxBytes = try Self.count(key, value)
        case "diskCacheMaxBytes": configuration.diskCacheMaxBytes = value.isNull ? nil : try Self.count(key, value)
        case "maxResponseBytes": configuration.maxResponseBytes = try Self.count(key, value)
        case "acceptedContentTypes": configuration.acceptedContentTypes = try Self.types(key, value)
        case "userAgent": configuration.userAgent = try Self.userAgent(key, value)
        case "staleIfError": configuration.staleIfError = try Self.staleIfError(key, value)
        default: return false
        }
        return true
    }

    private static func flag(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> Bool {
        guard let flag = value.bool else { throw .malformed("\(key) must be true or false") }
        return flag
    }

    private static func count(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> Int {
        guard let count = value.integer, count >= 0 else {
            throw .malformed("\(key) must be an integer, 0 or more")
        }
        return count
    }

    private static func duration(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> Duration {
        guard let duration = value.duration else { throw .malformed("\(key) must be a number of seconds, 0 or more") }
        return duration
    }

    private static func types(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> Set<ContentType> {
        guard let names = value.array else { throw .malformed("\(key) must be an array") }
        let types = names.compactMap { $0.string.flatMap { ContentType($0) } }
        guard types.count == names.count else { throw .malformed("\(key) must contain valid content types") }
        return Set(types)
    }

    private static func userAgent(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> String? {
        if value.isNull { return nil }
        guard let text = value.string, !text.isEmpty else {
            throw .malformed("\(key) must be null or a string that is not empty")
        }
        return text
    }

    /// Parses `"never"` (also `null`), `"serverDirective"`, or the number of seconds for which a stale response may be
    /// used.
    private static func staleIfError(_ key: String, _ value: JSON) throws(PipeRequest.Refusal) -> StaleIfError {
        if value.isNull || value.string == "never" { return .never }
        if value.string == "serverDirective" { return .serverDirective }
        guard let duration = value.duration else {
            throw .malformed("\(key) must be \"never\", \"serverDirective\" or a number of seconds, 0 or more")
        }
        return .upTo(duration)
    }
}

extension JSON {
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
