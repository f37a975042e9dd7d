/// The small JPEG that a camera puts into a file's EXIF block.
struct EmbeddedThumbnail {
    /// Where it lies in the file.
    let range: Range<Int>
    /// Over the bytes of `range` alone. Any damage throws: then the picture itself is the better source.
    let source: SourceImage
}

extension SourceImage {
    /// The embedded thumbnail; nil when there is none that can stand for the whole picture.
    ///
    /// It has to be a JPEG with sides of at least `width` and `height`, with the same colour model and an aspect ratio
    /// that is within 1 % of the picture's: many cameras pad theirs with black bars. A picture that can be transparent
    /// has none, because no JPEG is. It is decoded under the same limits, its own EXIF block and thumbnail count for
    /// nothing, and it may show an older state of the picture.
    ///
    /// - Parameters:
    ///   - width: Pixels in a row that the whole picture, as stored, is needed with.
    ///   - height: Rows of the same.
    func embeddedThumbnail(in bytes: Span<UInt8>, width: Int, height: Int) -> EmbeddedThumbnail? {
        guard let block = header.exifRange, let inside = EXIF(bytes.extracting(block))?.thumbnailRange else {
            return nil
        }
        let range = block.lowerBound + inside.lowerBound..<block.lowerBound + inside.upperBound
        guard case .decodable(.jpeg) = CodecCall.signature(of: bytes.extracting(range)) else { return nil }
        var options = call.options
        options.scaleDenominator = 1
        options.strictness = max(options.strictness, .corrupt)
        options.requiresMatchingContentType = false
        let found = try? SourceImage(
            bytes.extracting(range), declared: nil, options: options, flag: call.flag, resamples: call.resamples)
        guard let found, found.header.colorModel == header.colorModel, found.header.hasAlpha == header.hasAlpha,
            found.header.width >= width, found.header.height >= height, found.header.hasAspectRatio(of: header)
        else { return nil }
        return EmbeddedThumbnail(range: range, source: found)
    }
}

extension ImageHeader {
    /// Within 1 %.
    fileprivate func hasAspectRatio(of other: Self) -> Bool {
        let (a, b) = (Double(width) * Double(other.height), Double(height) * Double(other.width))
        return abs(a - b) <= 0.01 * b
    }
}
