/// The cost of a thumbnail that was computed before the thumbnail was requested.
package struct KnownThumbnailCost: Sendable {
    let options: ThumbnailOptions
    let decodeOptions: DecodeOptions
    let byteCount: Int
    let plan: ThumbnailPlan
}

extension ImageDecoder {
    /// Reads the header of a file and, in a worker process, computes the cost of the expected thumbnail in the same
    /// exchange of messages.
    ///
    /// - Parameter options: The thumbnail for which ``thumbnailCost(of:options:as:known:cancellation:)`` is probably
    ///   called next; nil for none.
    /// - Returns: The header; the cost is nil when the decoder has no worker process, or when the thumbnail cannot be
    ///   made.
    /// - Throws: The errors of ``header(of:as:cancellation:)-(Span<UInt8>,_,_)``.
    package func header(
        of bytes: [UInt8], expecting options: ThumbnailOptions?, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        if let options, let isolated = isolated(bytes.span, as: nil, cancellation, retaining: bytes) {
            return try isolated.header(bytes.span, expecting: options)
        }
        return (try header(of: bytes, cancellation: cancellation), nil)
    }

    /// True when a file of this format is decoded in a worker process.
    package func isIsolated(_ bytes: [UInt8]) -> Bool { isolated(bytes.span, as: nil, nil) != nil }
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
