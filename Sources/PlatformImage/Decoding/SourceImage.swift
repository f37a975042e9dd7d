/// A parsed header with the state for the next steps: the codec call, metadata positions and the damage found so far.
struct SourceImage {
    var header: ImageHeader
    var damage = Damage()

    let call: CodecCall
    /// The header as the codec reported it; for BMP all zero.
    let codecHeader: CodecHeader
    let bmp: BMPHeader?
    /// The quality of a thumbnail; it selects the parts of a JPEG that ``decode(_:resampledBy:into:_:)`` skips.
    var quality = ThumbnailQuality.exact
    /// As ``ThumbnailOptions/keepsChromaDetail``.
    var keepsChromaDetail = false
    /// The parts of a JPEG to skip when several thumbnails share the decode; nil selects them by ``quality``.
    var sharedDetail: SkippedDetail?

    /// - Parameter resamples: True when the image will be resampled while it is read; memory limits then count the
    ///   buffers of the resampling decode.
    init(
        _ bytes: Span<UInt8>, declared: ContentType?, options: DecodeOptions, flag: CancellationFlag? = nil,
        countsFrames: Bool = false, resamples: Bool = false
    ) throws(DecodeError) {
        try options.check()
        let declared = (declared ?? options.declaredContentType)?.format
        let format = try Self.format(of: bytes, declared: declared, options: options)
        call = CodecCall(format: format, options: options, flag: flag, resamples: resamples)
        if format == .bmp {
            let parsed = try BMPHeader(bytes, options: options, resamples: resamples, damage: &damage)
            bmp = parsed
            codecHeader = CodecHeader()
            header = parsed.imageHeader
        } else {
            bmp = nil
            codecHeader = try call.header(of: bytes, countsFrames: countsFrames, damage: &damage)
            header = ImageHeader(codecHeader, format: format)
            if let range = header.exifRange {
                let exif = EXIF(bytes.extracting(range))
                if exif == nil || exif?.isDamaged == true { damage.warn(.exif) }
                if exif?.hasInvalidOrientation == true { damage.warn(.orientation) }
                header.orientation = exif?.orientation ?? header.orientation
            }
        }
        header.declaredContentType = declared
        header.warnings = damage.warnings
    }

    /// Width and height of the pixels after JPEG scaling and orientation.
    func pixelSize(orientedBy orientation: Orientation) -> (width: Int, height: Int) {
        let (width, height) = bmp == nil ? (codecHeader.width, codecHeader.height) : (header.width, header.height)
        return orientation.swapsSides ? (height, width) : (width, height)
    }

    func iccProfile(in bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? {
        if let range = bmp?.iccRange { return [UInt8](bytes.extracting(range)) }
        guard bmp == nil, codecHeader.profileByteCount > 0 else { return nil }
        return try call.iccProfile(in: bytes, count: codecHeader.profileByteCount)
    }

    /// The conversion to sRGB; nil when the options do not request it, when no conversion is needed, when the profile
    /// is not usable, and for BMP.
    mutating func transform(
        in bytes: Span<UInt8>, cache: ColorTransformCache
    ) throws(DecodeError) -> ColorTransform? {
        guard call.options.convertsToSRGB, bmp == nil else { return nil }
        let profile = codecHeader.hasCICP ? nil : try iccProfile(in: bytes)
        guard profile != nil || codecHeader.hasColorChunks else { return nil }
        return try cache.transform(header: codecHeader, icc: profile, format: call.format, damage: &damage)
    }

    /// Decodes the still image into `storage`, oriented and converted.
    mutating func decode(
        _ bytes: Span<UInt8>, into storage: PixelStorage, width: Int, height: Int, orientation: Orientation,
        _ transform: ColorTransform?
    ) throws(DecodeError) {
        try storage.withMutableBytes { (pixels) throws(DecodeError) in
            try decode(
                bytes, onto: &pixels, stride: width * 4, width: width, height: height, orientation: orientation,
                transform)
        }
    }

    /// Decodes the still image onto `pixels`, oriented and converted.
    ///
    /// - Parameter stride: Bytes from row to row of `pixels`; for a BMP `width * 4`. The padding is not written.
    mutating func decode(
        _ bytes: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, stride: Int, width: Int, height: Int,
        orientation: Orientation, _ transform: ColorTransform?
    ) throws(DecodeError) {
        if let bmp {
            precondition(stride == width * 4, "a BMP is decoded to rows without padding")
            try call.work.charge(bmp.work(of: bytes), call.options.limits, format: .bmp)
            try bmp.decode(bytes, onto: &pixels, options: call.options, flag: call.flag, damage: &damage)
            return
        }
        var call = call
        if let transform, transform.isCMYK { call.cmykTransform = transform }
        try call.decode(
            bytes, onto: &pixels, stride: stride, width: width, height: height, orientation: orientation,
            damage: &damage)
        if let transform, !transform.isCMYK {
            try call.convert(
                &pixels, stride: stride, width: width, height: height, with: transform, damage: &damage)
        }
    }

    /// Decodes the image as stored, without orientation, and resamples it into `storage` while it is read. Of a JPEG, a
    /// TIFF, a non-interlaced PNG, or a BMP without run lengths, only some rows of RGBA pixels are in memory at a time.
    ///
    /// Damage is reported as by a decode without resampling; pixels without data are transparent. The source size of
    /// `request` must be ``pixelSize(orientedBy:)`` with `.up`, that is, the size after JPEG scaling. Colours are
    /// converted after resampling, except CMYK, which is converted before resampling.
    mutating func decode(
        _ bytes: Span<UInt8>, resampledBy request: ResampleRequest, into storage: PixelStorage,
        _ transform: ColorTransform?
    ) throws(DecodeError) {
        try decode(bytes, resampledTo: [(request, storage)], transform)
    }

    /// Decodes the image once and resamples it to several results, each identical to the result of a separate call.
    ///
    /// - Parameter outputs: 1 to ``CodecCall/maxOutputs``, with equal ``skippedDetail(for:)``.
    mutating func decode(
        _ bytes: Span<UInt8>, resampledTo outputs: [(request: ResampleRequest, storage: PixelStorage)],
        _ transform: ColorTransform?
    ) throws(DecodeError) {
        let (width, height) = pixelSize(orientedBy: .up)
        var streamedOutputs: [(request: ResampleRequest, storage: PixelStorage)] = []
        for (request, storage) in outputs {
            precondition(request.isValid, "the resample request contains a value that is out of range")
            precondition(
                storage.byteCount == request.width * request.height * 4,
                "the storage must have the resampled size of the request")
            precondition(
                request.sourceWidth == width && request.sourceHeight == height,
                "the source size of the request must be the size of the image")
            var request = request
            if !header.hasAlpha { request.isOpaque = true }
            streamedOutputs.append((request, storage))
        }
        if let bmp {
            try call.work.charge(
                streamedOutputs.reduce(bmp.work(of: bytes)) { $0.addingClamped($1.request.work) },
                call.options.limits, format: .bmp)
            try bmp.decode(
                bytes, resampledTo: streamedOutputs, options: call.options, flag: call.flag, damage: &damage)
            return
        }
        guard let first = streamedOutputs.first else { return }
        var call = call
        call.resamples = true
        if let transform, transform.isCMYK { call.cmykTransform = transform }
        try call.decode(
            bytes, resampledTo: streamedOutputs, skipping: skippedDetail(for: first.request), damage: &damage)
        guard let transform, !transform.isCMYK else { return }
        for (request, storage) in streamedOutputs {
            try call.convert(storage, width: request.width, height: request.height, with: transform, damage: &damage)
        }
    }

    /// An upper estimate, in bytes, of the memory that ``decode(_:resampledBy:into:_:)`` needs in addition to
    /// `storage`; `Int.max` on overflow.
    func resampledByteCount(_ request: ResampleRequest) -> Int {
        bmp?.resampledByteCount(request) ?? codecHeader.resampledByteCount(request)
    }

    func skippedDetail(for request: ResampleRequest) -> SkippedDetail {
        guard header.format == .jpeg else { return [] }
        if let sharedDetail { return sharedDetail }
        let denominator = call.options.scaleDenominator
        guard header.isProgressive else {
            guard quality == .draft, denominator >= 4 else { return [] }
            // The loss is not measurable in a WebP result of an eighth of the decoded size, and 0.1 dB at a quarter.
            let isReducedEightfold =
                request.cropWidth >= 8 * Double(request.width) && request.cropHeight >= 8 * Double(request.height)
            let skipsChroma = denominator == 8 && (isReducedEightfold || !keepsChromaDetail)
            return skipsChroma ? [.highFrequencies, .chroma] : .highFrequencies
        }
        let part = max(request.cropWidth, request.cropHeight) * Double(denominator)
        return SkippedDetail(quality, reduction: part / Double(max(request.width, request.height)))
    }

    /// An upper estimate, in bytes, of the memory for creating the conversion to sRGB; 0 when no ICC profile is used.
    ///
    /// lcms2 stores 16-bit copies of the profile's tables. In measurements, profiles with 8-bit tables grow the most,
    /// to 10 times the profile size; this estimate counts 12 times.
    var profileByteCount: Int {
        guard call.options.convertsToSRGB, header.format != .bmp, header.profileSource == .icc else { return 0 }
        // The product cannot overflow: deflate expands one byte of input to at most 1,032 bytes.
        return header.iccProfileByteCount * 12
    }

    /// The format of the signature; the declared type is used only when no signature matches.
    private static func format(
        of bytes: Span<UInt8>, declared: ContentType?, options: DecodeOptions
    ) throws(DecodeError) -> ImageFormat {
        if let limit = options.limits.maxInputBytes, bytes.count > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxInputBytes",
                "the input of \(bytes.count) bytes exceeds the limit of \(limit) bytes")
        }
        let declaredFormat = declared.flatMap(ImageFormat.init)
        let format: ImageFormat
        switch ImageSignature(of: bytes) {
        case .decodable(let detected):
            format = detected
            if options.requiresMatchingContentType, let declared, declaredFormat != detected {
                throw DecodeError(
                    .contentTypeMismatch, format: detected,
                    "the declared content type is \(declared), the signature is that of \(detected)")
            }
        case .refused(let name):
            throw DecodeError(.unsupported, detail: name, "the format \(name) is not supported")
        case .unknown:
            guard let declaredFormat else {
                throw DecodeError(
                    .unknownFormat,
                    bytes.isEmpty
                        ? "the input is empty"
                        : "the signature is unknown, and the declared content type is missing or not supported")
            }
            format = declaredFormat
        }
        guard options.allowedFormats.contains(format) else {
            throw DecodeError(
                .unsupported, format: format, detail: format.rawValue, "the format \(format) is not in allowedFormats")
        }
        return format
    }
}
