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

/// What a pipeline answers: a picture or plain bytes.
struct LoadAnswer: Sendable {
    var content: LoadContent
    var source: LoadSource
    var isFresh: Bool
    var isStored: Bool
    var insteadOf: LoadError?
    var status: Int
    var fields: HeaderFields
    var timings = LoadTimings()

    /// The answer as a picture; nil when only bytes were asked for.
    var image: LoadedImage? {
        guard let image = content.image else { return nil }
        return LoadedImage(
            bitmap: image.bitmap, header: image.header, decodeStatus: image.status, source: source, isFresh: isFresh,
            isStored: isStored, insteadOf: insteadOf, status: status, shown: ShownFields(fields),
            encodedData: content.bytes, timings: timings)
    }

    /// The answer as bytes.
    var data: LoadedData {
        LoadedData(
            bytes: content.bytes ?? [], source: source, isFresh: isFresh, isStored: isStored, insteadOf: insteadOf,
            status: status, fields: fields)
    }
}

/// What a body came to.
struct LoadContent: Sendable {
    /// Nil when only bytes were asked for.
    var image: DecodedImage?
    /// The body; nil when the picture is all that is kept.
    var bytes: [UInt8]?

    /// What it occupies, at least 1.
    var byteCount: Int { max(1, (image?.bitmap.byteCount ?? 0) + (bytes?.count ?? 0)) }
}
#endif
