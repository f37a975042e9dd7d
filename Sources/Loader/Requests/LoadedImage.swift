public import PlatformImage

/// A loaded image with its source and response.
public struct LoadedImage: Sendable {
    /// The decoded pixels.
    public let bitmap: PlatformImage
    /// The metadata of the image file.
    public let header: ImageHeader
    /// Completeness of the image: complete, truncated or corrupt.
    public let decodeStatus: DecodeStatus
    /// The source of the image, never `none`.
    public let source: LoadSource
    /// True when the image is the final result of the load under HTTP caching rules; false when it is stale or
    /// provisional.
    public let isFresh: Bool
    /// True when the response is in the disk cache.
    public let isStored: Bool
    /// The failure that this stale image replaces; nil for none.
    public let staleReason: LoadError?
    /// HTTP status of the response, 200, 203 or another success; for a stored response, the stored status.
    public let status: Int
    /// Header fields of the response, with `Age` for a stored one.
    public var fields: HeaderFields { responseFields.fields }
    let responseFields: ResponseFields
    /// The encoded file without content codings; nil unless ``ImageLoader/Configuration/retainsEncodedData`` is true.
    public let encodedData: [UInt8]?
    /// Duration of each part of the load.
    public let timings: LoadTimings
}

extension LoadedImage: CustomStringConvertible {
    /// Size, source, freshness and status, in one line.
    public var description: String {
        "image of \(bitmap.width) x \(bitmap.height) pixels from \(source), "
            + "\(isFresh ? "fresh" : "not fresh"), status \(status)"
    }
}

/// Header fields of a response; `Age` of a stored response is added when they are read.
struct ResponseFields: Sendable {
    private let stored: HeaderFields
    /// Age of the stored response in milliseconds; nil for fields that need no `Age`.
    private let age: Int64?

    /// Creates fields that need no `Age`.
    init(_ fields: HeaderFields) {
        stored = fields
        age = nil
    }

    /// The fields of a stored response of this age in milliseconds.
    init(stored fields: HeaderFields, age: Int64) {
        stored = fields
        self.age = age
    }

    var fields: HeaderFields { age.map(stored.settingAge) ?? stored }
}

extension LoadedImage: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// A mirror without children: the fields may contain cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Durations of the parts of a load, waiting included.
public struct LoadTimings: Hashable, Sendable {
    /// Cache lookup in memory and on disk, over all requests of the redirect chain.
    public var lookup = Duration.zero
    /// From joining a fetch until it has ended: queueing, request, response, decoding and storing. The time of a
    /// shared fetch is included in each load that shares it.
    public var network = Duration.zero
    /// Decoding; for a network body it is part of ``network``.
    public var decode = Duration.zero
    /// Part of ``network``: waiting for a slot of the load's priority. This and the following parts are sums over all
    /// attempts.
    public var queue = Duration.zero
    /// Part of ``network``: from sending a request to receiving the response head, connecting included.
    public var firstByte = Duration.zero
    /// Part of ``network``: from the response head to the end of the body.
    public var transfer = Duration.zero
    /// Part of ``lookup`` and ``network``: waiting for disk reads and writes.
    public var disk = Duration.zero
}

/// Loaded bytes with their source and response.
public struct LoadedData: Sendable {
    /// The content without its content codings; for a 206 response to the caller's `Range`, the bytes as they were
    /// sent.
    public let bytes: [UInt8]
    /// The source of the bytes, never `none`.
    public let source: LoadSource
    /// As in ``LoadedImage/isFresh``.
    public let isFresh: Bool
    /// True when the response is in the disk cache.
    public let isStored: Bool
    /// As in ``LoadedImage/staleReason``.
    public let staleReason: LoadError?
    /// As in ``LoadedImage/status``; also 3xx with ``RedirectMode/manual``, and 206 or 304 when the caller's request
    /// contains a range or a condition.
    public let status: Int
    /// As in ``LoadedImage/fields``.
    public let fields: HeaderFields
}

extension LoadedData: CustomStringConvertible, CustomReflectable {
    /// Size, source, freshness and status, in one line.
    public var description: String {
        "\(bytes.count) bytes from \(source), \(isFresh ? "fresh" : "not fresh"), status \(status)"
    }
    /// A mirror without children: the fields may contain cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
