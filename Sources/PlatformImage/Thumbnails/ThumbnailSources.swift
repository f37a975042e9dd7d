/// The parsed headers of one file for thumbnails: each decode scale is parsed once, however many thumbnails use it.
struct ThumbnailSources {
    /// The file at full size.
    let full: SourceImage
    private var scaled: [Int: SourceImage] = [:]
    private var smallest: SourceImage?

    init(_ bytes: Span<UInt8>, _ decoder: LocalDecoder) throws(DecodeError) {
        var options = decoder.options
        options.scaleDenominator = 1
        full = try SourceImage(
            bytes, declared: decoder.contentType, options: options, flag: decoder.flag, resamples: true)
    }

    /// Bytes of memory above which a thumbnail is decoded in another way or not at all.
    var maxBytes: Int { min(full.call.options.limits.maxMemory ?? .max, full.call.options.budgetBytes ?? .max) }

    /// The file at the scale 1/`denominator`. `bytes` must be the bytes passed to the initializer.
    mutating func source(_ bytes: Span<UInt8>, denominator: Int) throws(DecodeError) -> SourceImage {
        guard denominator > 1 else { return full }
        if let known = scaled[denominator] { return known }
        var options = full.call.options
        options.scaleDenominator = denominator
        let source = try parsed(bytes, options)
        scaled[denominator] = source
        return source
    }

    /// The file at full size, decoded with the least memory instead of the greatest speed.
    mutating func leastMemory(_ bytes: Span<UInt8>) throws(DecodeError) -> SourceImage {
        if let smallest { return smallest }
        var options = full.call.options
        options.usesLeastMemory = true
        let source = try parsed(bytes, options)
        smallest = source
        return source
    }

    private func parsed(_ bytes: Span<UInt8>, _ options: DecodeOptions) throws(DecodeError) -> SourceImage {
        try SourceImage(
            bytes, declared: full.header.declaredContentType, options: options, flag: full.call.flag, resamples: true)
    }
}
