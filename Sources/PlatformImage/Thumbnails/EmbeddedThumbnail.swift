/// The JPEG thumbnail embedded in a file's EXIF block.
struct EmbeddedThumbnail {
    /// The thumbnail's range in the file.
    let range: Range<Int>
    /// The parsed header of the bytes of `range`. If these bytes are damaged, their decode throws, and the full image
    /// is decoded instead.
    let source: SourceImage
}

extension SourceImage {
    /// Returns the embedded thumbnail; nil when there is none that can represent the complete image.
    ///
    /// It must be a JPEG with sides of at least `width` and `height`, with the colour model of the image and an aspect
    /// ratio within 1 % of the image's: many cameras pad the thumbnail with black bars. An image with alpha has no
    /// usable thumbnail, because JPEG has no alpha. The thumbnail is decoded under the limits of the image; its EXIF
    /// block and nested thumbnail are ignored. The thumbnail may be outdated if the image was edited.
    ///
    /// - Parameters:
    ///   - width: Minimum width of the thumbnail as stored, in pixels.
    ///   - height: Minimum height of the thumbnail as stored, in pixels.
    func embeddedThumbnail(in bytes: Span<UInt8>, width: Int, height: Int) -> EmbeddedThumbnail? {
        guard let block = header.exifRange else { return nil }
        var cursor = ByteCursor(block.clamped(to: 0..<bytes.count))
        let exif = bytes.extracting(cursor.rest)  // trap-free: clamped
        guard let inside = EXIF(exif)?.thumbnailRange, cursor.skip(FileNumber(inside.lowerBound)),
            let range = cursor.take(FileNumber(inside.count))
        else { return nil }
        let thumbnail = bytes.extracting(range)  // trap-free: of the cursor
        guard case .decodable(.jpeg) = CodecCall.signature(of: thumbnail) else { return nil }
        var options = call.options
        options.scaleDenominator = 1
        options.strictness = max(options.strictness, .corrupt)
        options.requiresMatchingContentType = false
        let found = try? SourceImage(
            thumbnail, declared: nil, options: options, flag: call.flag, resamples: call.resamples)
        guard let found, found.header.colorModel == header.colorModel, found.header.hasAlpha == header.hasAlpha,
            found.header.width >= width, found.header.height >= height, found.header.hasAspectRatio(of: header)
        else { return nil }
        return EmbeddedThumbnail(range: range, source: found)
    }
}

extension ImageHeader {
    /// True when the aspect ratios differ by at most 1 %.
    fileprivate func hasAspectRatio(of other: Self) -> Bool {
        let a = Double(width) * Double(other.height)  // trap-free: floating-point
        let b = Double(height) * Double(other.width)  // trap-free: floating-point
        return abs(a - b) <= 0.01 * b  // trap-free: floating-point
    }
}
