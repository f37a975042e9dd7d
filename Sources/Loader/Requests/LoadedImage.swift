#if Loader
public import PlatformImage

/// A loaded picture and where it comes from.
public struct LoadedImage: Sendable {
    /// The pixels.
    public let bitmap: PlatformImage
    /// What the file says.
    public let header: ImageHeader
    /// Complete, truncated or corrupt.
    public let decodeStatus: DecodeStatus
    /// Never `none`.
    public let source: LoadSource
    /// True when this is the load's last word by the rules of HTTP; false for what is shown before it, or stale.
    public let isFresh: Bool
    /// True when the response is in the disk cache.
    public let isStored: Bool
    /// The failure in whose place a stale picture is given; nil for none.
    public let insteadOf: LoadError?
    /// The response's status, of a stored response its own: 200, 203 or another success.
    public let status: Int
    /// The response's fields, with `Age` for a stored one.
    public var fields: HeaderFields { shown.fields }
    let shown: ShownFields
    /// The file's bytes, without content codings; nil unless ``ImageLoader/Configuration/retainsEncodedData``.
    public let encodedData: [UInt8]?
    /// How long it took.
    public let timings: LoadTimings
}

extension LoadedImage: CustomStringConvertible {
    /// What it is in a line: size, source, freshness, status.
    public var description: String {
        "picture of \(bitmap.width) x \(bitmap.height) from \(source), \(isFresh ? "fresh" : "not fresh"), status \(status)"
    }
}

/// Fields as they are shown; a stored response's `Age` is put in when somebody asks.
struct ShownFields: Sendable {
    private let stored: HeaderFields
    /// In milliseconds; nil for fields that are complete.
    private let age: Int64?

    /// Fields that are complete.
    init(_ fields: HeaderFields) {
        stored = fields
        age = nil
    }

    /// The fields of a stored response that is so many milliseconds old.
    init(stored fields: HeaderFields, age: Int64) {
        stored = fields
        self.age = age
    }

    var fields: HeaderFields { age.map(stored.settingAge) ?? stored }
}

extension LoadedImage: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How long the parts of a load took, waiting included.
public struct LoadTimings: Hashable, Sendable {
    /// Looking in memory and on disk, for every hop.
    public var lookup = Duration.zero
    /// From asking for the origin's answer to having it checked, decoded and stored; shared by loads that share it.
    public var network = Duration.zero
    /// Decoding, for a body that came over the network a part of ``network``.
    public var decode = Duration.zero
    /// Of ``network``: waiting for a place among the fetches; all attempts together, like the parts that follow.
    public var queue = Duration.zero
    /// Of ``network``: from sending a request to the head of its response, with connecting.
    public var firstByte = Duration.zero
    /// Of ``network``: from the head to the end of the body.
    public var transfer = Duration.zero
    /// Of ``lookup`` and ``network``: waiting for the disk to read and to store.
    public var disk = Duration.zero
}

/// Loaded bytes and where they come from.
public struct LoadedData: Sendable {
    /// The content without its codings; of a part that the caller asked for with `Range`, the bytes as they were sent.
    public let bytes: [UInt8]
    /// Never `none`.
    public let source: LoadSource
    /// As in ``LoadedImage/isFresh``.
    public let isFresh: Bool
    /// True when the response is in the disk cache.
    public let isStored: Bool
    /// As in ``LoadedImage/insteadOf``.
    public let insteadOf: LoadError?
    /// As in ``LoadedImage/status``; also 3xx with ``RedirectMode/manual``, and 206 or 304 to a range or conditions of
    /// the caller's own.
    public let status: Int
    /// As in ``LoadedImage/fields``.
    public let fields: HeaderFields
}

extension LoadedData: CustomStringConvertible, CustomReflectable {
    /// Bytes, source, freshness and status, in one line.
    public var description: String {
        "\(bytes.count) bytes from \(source), \(isFresh ? "fresh" : "not fresh"), status \(status)"
    }
    /// Has no children: the fields may hold cookies.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
