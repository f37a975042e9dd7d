internal import PlatformImage

/// The options of a load that determine its pixels: decode options, thumbnail, processors.
///
/// An immutable class, so that copies of a request share one object.
final class ImageVariant: Hashable, Sendable {
    /// The complete image with the default decode options.
    static let complete = ImageVariant(DecodeOptions(), nil, [], nil)

    let thumbnail: ThumbnailOptions?
    let processors: [ImageProcessor]
    /// As ``ImageRequest/variantFormat``; nil without a thumbnail and processors.
    let fileFormat: EncodedFormat?
    /// Identifies the decode options that a decode of this variant uses; loads of one body can share a decode only if
    /// they are equal.
    let decodeName: String
    /// Identifies the pixels before the processors.
    let unprocessedName: String
    /// Identifies the pixels.
    let pixelName: String
    /// Identifies the variant in the caches: as ``pixelName``, followed by the format of the file on disk, because a
    /// JPEG changes the pixels. Empty for ``complete``. It is a part of the disk format, so its form never changes.
    let name: String

    convenience init(of request: ImageRequest) {
        self.init(request.decodeOptions, request.thumbnail, request.processors, request.variantFormat)
    }

    private init(
        _ options: DecodeOptions, _ thumbnail: ThumbnailOptions?, _ processors: [ImageProcessor],
        _ format: EncodedFormat?
    ) {
        self.thumbnail = thumbnail
        self.processors = processors
        var options = options
        if thumbnail != nil { options.scaleDenominator = 1 }  // Thumbnails ignore it.
        decodeName = options.cacheVariant
        unprocessedName = decodeName + Self.part("thumbnail", thumbnail?.cacheVariant)
        pixelName = unprocessedName + Self.part("processors", processors.isEmpty ? nil : processors.cacheVariant)
        fileFormat = thumbnail == nil && processors.isEmpty ? nil : format
        name = pixelName + Self.part("file", fileFormat?.rawValue)
    }

    /// The length separates the value from the text that follows it, so that different variants have different names.
    private static func part(_ kind: String, _ value: String?) -> String {
        value.map { " \(kind) \($0.utf8.count) \($0)" } ?? ""
    }

    static func == (a: ImageVariant, b: ImageVariant) -> Bool { a === b || a.name.hasSameBytes(as: b.name) }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
