#if Loader
internal import PlatformImage

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
