extension ImageEncoder {
    /// An upper bound of the memory in bytes that encoding a WebP or a still GIF allocates, including the file, for
    /// ``DecodeQueue/encode(_:as:with:priority:byteCount:)``; for the other formats that of metadata and profile alone.
    /// `Int.max` when the product overflows.
    ///
    /// GIF: 1 byte per pixel for the indices, and at most 1.5 bytes for the codes, which are stored twice with room to
    /// grow; the histogram and the inverse palette take 4.3 MB. WebP: the factors are the largest ones measured with
    /// libwebp 1.2.4 over noise, photographs and gradients, from 64 x 64 to 3000 x 2000 pixels, rounded up. Alpha
    /// samples are compressed as a lossless image. Lossless compression allocates tables that do not depend on the size
    /// of images of about 256 x 256 pixels or more.
    ///
    /// - Parameter hasAlpha: False if all pixels are opaque.
    package func workBytes(width: Int, height: Int, hasAlpha: Bool, as format: EncodedFormat) -> Int {
        let blocks = format == .gif ? 0 : metadataBytes
        guard format == .webp || format == .gif else { return blocks }
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        guard !overflows, pixels < Int.max / 1024 else { return .max }
        if format == .gif { return pixels * 5 + width * 16 + 4_400_000 }
        let isLossless =
            options.webp.isLossless || options.webp.usesLosslessUnlessLarger || hasAlpha
            || options.webp.mixesLosslessFrames
        let bytesPerPixel = isLossless ? 64 : 44
        let tables = isLossless ? min(pixels * 640, 20 << 20) : 1 << 20
        // The lossless file is kept while the lossy one is encoded.
        let kept = options.webp.losslessAlternative == nil ? 0 : pixels * 5
        return (pixels * bytesPerPixel + tables + kept).addingClamped(blocks)
    }

    /// Metadata and profile while they are filtered and written: as given, filtered, in the form of the file, and in
    /// the file; IPTC in PNG is text with more than two characters for each byte.
    private var metadataBytes: Int {
        let filtered = options.metadataPolicy == .strip ? 0 : options.metadata.byteCount
        let blocks = options.preparedMetadata?.byteCount ?? filtered
        let (bytes, overflows) = blocks.addingClamped(options.iccProfile?.count ?? 0).multipliedReportingOverflow(by: 6)
        return overflows ? .max : bytes
    }
}
