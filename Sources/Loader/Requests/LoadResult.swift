internal import PlatformImage

/// The result of a successful load: an image or plain bytes.
struct LoadResult: Sendable {
    var content: LoadContent
    var source: LoadSource
    var isFresh: Bool
    var isStored: Bool
    var staleReason: LoadError?
    var status: Int
    var fields: HeaderFields
    var timings = LoadTimings()

    /// The result as an image; nil for a load of plain bytes.
    var image: LoadedImage? {
        guard let image = content.image else { return nil }
        return LoadedImage(
            bitmap: image.bitmap, header: image.header, decodeStatus: image.status, source: source, isFresh: isFresh,
            isStored: isStored, staleReason: staleReason, status: status, responseFields: ResponseFields(fields),
            encodedData: content.bytes, timings: timings)
    }

    /// The result as bytes.
    var data: LoadedData {
        LoadedData(
            bytes: content.bytes ?? [], source: source, isFresh: isFresh, isStored: isStored, staleReason: staleReason,
            status: status, fields: fields)
    }
}

/// The content of a response body, decoded or as bytes.
struct LoadContent: Sendable {
    /// The decoded image; nil for a load of plain bytes.
    var image: DecodedImage?
    /// The body without content codings; nil when only the decoded image is retained.
    var bytes: [UInt8]?

    /// Memory size in bytes, at least 1.
    var byteCount: Int { max(1, (image?.bitmap.byteCount ?? 0) + (bytes?.count ?? 0)) }
}
