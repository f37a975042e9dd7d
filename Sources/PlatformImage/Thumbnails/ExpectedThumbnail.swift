/// The cost of a thumbnail that was computed before the thumbnail was requested.
package struct KnownThumbnailCost: Sendable {
    let options: ThumbnailOptions
    let decodeOptions: DecodeOptions
    let byteCount: Int
    let plan: ThumbnailPlan
}

extension ImageHeader {
    /// A header with the size that a JPEG or PNG states, read without a decoder; nil when no size is found.
    ///
    /// The file is not checked otherwise, and all other values are those of an opaque image without orientation: use it
    /// only to predict.
    package static func expected(of bytes: Span<UInt8>) -> ImageHeader? {
        let format: ImageFormat
        let size: (width: Int, height: Int)?
        switch ImageSignature(of: bytes) {
        case .decodable(.jpeg): (format, size) = (.jpeg, JPEGMetadata.size(in: bytes))
        case .decodable(.png): (format, size) = (.png, PNGMetadata.size(in: bytes))
        default: return nil
        }
        guard let size, size.width > 0, size.height > 0, size.width <= Int(Int32.max), size.height <= Int(Int32.max)
        else { return nil }
        return ImageHeader(
            format: format, width: size.width, height: size.height, bitsPerChannel: 8, channelCount: 3,
            colorModel: .rgb, hasAlpha: false)
    }
}
