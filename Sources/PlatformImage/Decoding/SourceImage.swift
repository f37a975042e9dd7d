internal import CImageCodecs

/// A file's header with what the next steps need: which codec, where metadata lies, what was wrong so far.
struct SourceImage {
    var header: ImageHeader
    var damage = Damage()

    let call: CodecCall
    /// As the codec gave it; for BMP nothing but the size is set.
    let facts: imgc_header
    let bmp: BMPHeader?
    /// How much of a progressive JPEG ``decode(_:resampledBy:into:_:)`` reads.
    var quality = ThumbnailQuality.exact

    /// - Parameter resamples: The picture will be shrunk while it is read: limits on memory count what that holds.
    init(
        _ bytes: Span<UInt8>, declared: ContentType?, options: DecodeOptions, flag: CancellationFlag? = nil,
        countsFrames: Bool = false, resamples: Bool = false
    ) throws(DecodeError) {
        try options.check()
        let declared = declared == .octetStream ? nil : declared
        let format = try Self.format(of: bytes, declared: declared, options: options)
        call = CodecCall(format: format, options: options, flag: flag, resamples: resamples)
        if format == .bmp {
            let parsed = try BMPHeader(bytes, options: options, resamples: resamples, damage: &damage)
            bmp = parsed
            facts = imgc_header()
            header = parsed.imageHeader
        } else {
            bmp = nil
            facts = try call.header(of: bytes, countsFrames: countsFrames, damage: &damage)
            header = ImageHeader(facts, format: format)
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

    /// Width and height of the pixels after JPEG scaling and turning.
    func pixelSize(turnedBy orientation: Orientation) -> (width: Int, height: Int) {
        let (width, height) = bmp == nil ? (Int(facts.width), Int(facts.height)) : (header.width, header.height)
        return orientation.swapsSides ? (height, width) : (width, height)
    }

    func iccProfile(in bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? {
        if let range = bmp?.iccRange { return [UInt8](bytes.extracting(range)) }
        guard bmp == nil, facts.icc_size > 0 else { return nil }
        return try call.iccProfile(in: bytes, count: Int(facts.icc_size))
    }

    /// The conversion to sRGB that the options ask for; nil when the pixels need none.
    mutating func transform(
        in bytes: Span<UInt8>, cache: ColorTransformCache
    ) throws(DecodeError) -> ColorTransform? {
        guard call.options.convertsToSRGB, bmp == nil else { return nil }
        let profile = facts.has_cicp ? nil : try iccProfile(in: bytes)
        guard profile != nil || facts.has_cicp || facts.has_gamma || facts.has_chromaticities else { return nil }
        return try cache.transform(header: facts, icc: profile, format: call.format, damage: &damage)
    }

    /// Fills the storage: still picture, turned, converted.
    mutating func decode(
        _ bytes: Span<UInt8>, into storage: PixelStorage, width: Int, height: Int, orientation: Orientation,
        _ transform: ColorTransform?
    ) throws(DecodeError) {
        if let bmp {
            try bmp.decode(bytes, into: storage, options: call.options, flag: call.flag, damage: &damage)
            return
        }
        var call = call
        if let transform, transform.isCMYK { call.cmykTransform = transform }
        try call.decode(
            bytes, into: storage, width: width, height: height, orientation: orientation, damage: &damage)
        if let transform, !transform.isCMYK {
            try call.convert(storage, width: width, height: height, with: transform, damage: &damage)
        }
    }

    /// For ``ImageFrames``: the codec call, and the canvas size as stored.
    var frameCall: CodecCall { call }

    /// The signature decides; a declared type counts only where no signature matches.
    private static func format(
        of bytes: Span<UInt8>, declared: ContentType?, options: DecodeOptions
    ) throws(DecodeError) -> ImageFormat {
        if let limit = options.limits.maxInputBytes, bytes.count > limit {
            throw DecodeError(
                .limitExceeded, detail: "maxInputBytes", "input of \(bytes.count) bytes is over the limit of \(limit)")
        }
        let declaredFormat = declared.flatMap(ImageFormat.init)
        let format: ImageFormat
        switch ImageSignature(of: bytes) {
        case .decodable(let detected):
            format = detected
            if options.requiresMatchingContentType, let declared, declaredFormat != detected {
                throw DecodeError(
                    .contentTypeMismatch, format: detected, "declared as \(declared), but the bytes are \(detected)")
            }
        case .refused(let name):
            throw DecodeError(.unsupported, detail: name, "\(name) is recognised but not decoded")
        case .unknown:
            guard let declaredFormat else {
                throw DecodeError(
                    .unknownFormat,
                    bytes.isEmpty ? "no bytes" : "no known signature in the first bytes, and no usable content type")
            }
            format = declaredFormat
        }
        guard options.allowedFormats.contains(format) else {
            throw DecodeError(.unsupported, format: format, detail: format.rawValue, "\(format) is not allowed here")
        }
        return format
    }
}

extension ImageHeader {
    init(_ facts: imgc_header, format: ImageFormat) {
        self.init(
            format: format, width: Int(facts.width), height: Int(facts.height),
            bitsPerChannel: Int(facts.bits_per_channel), channelCount: Int(facts.channels),
            colorModel: ColorModel(facts.color_model), hasAlpha: facts.has_alpha)
        orientation = Orientation(rawValue: facts.orientation) ?? .up
        frameCount = facts.frame_count > 0 ? Int(facts.frame_count) : nil
        loopCount = facts.has_loop_count ? Int(facts.loop_count) : nil
        isProgressive = facts.is_progressive
        profileSource = ProfileSource(facts)
        iccProfileByteCount = Int(facts.icc_size)
        if facts.exif_size > 0 {
            exifRange = Int(facts.exif_offset)..<Int(facts.exif_offset + facts.exif_size)
        }
        workByteCount = Int(clamping: facts.work_bytes)
    }
}

extension ImageHeader.ColorModel {
    fileprivate init(_ model: imgc_color_model) {
        switch model {
        case IMGC_COLOR_GRAY: self = .gray
        case IMGC_COLOR_INDEXED: self = .indexed
        case IMGC_COLOR_YCBCR: self = .ycbcr
        case IMGC_COLOR_CMYK: self = .cmyk
        case IMGC_COLOR_LAB: self = .lab
        case IMGC_COLOR_LOGLUV: self = .logLuv
        default: self = .rgb
        }
    }
}

extension ImageHeader.ProfileSource {
    fileprivate init(_ facts: imgc_header) {
        if facts.has_cicp {
            self = .cicp
        } else if facts.icc_size > 0 {
            self = .icc
        } else if facts.has_srgb {
            self = .srgb
        } else {
            self = facts.has_gamma || facts.has_chromaticities ? .gamma : .none
        }
    }
}
