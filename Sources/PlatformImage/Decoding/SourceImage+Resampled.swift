internal import CImageCodecs

extension SourceImage {
    /// Fills the storage with the picture as stored, not turned, resampled while it is read: of JPEG, TIFF, PNG that is
    /// not interlaced, and bitmaps without run lengths only some rows are ever in memory.
    ///
    /// Damage is reported as by a decode; what the data does not cover is transparent. `request` takes its source to be
    /// of ``pixelSize(turnedBy:)``, so after JPEG scaling. Colours are converted afterwards, those of CMYK before.
    mutating func decode(
        _ bytes: Span<UInt8>, resampledBy request: ResampleRequest, into storage: PixelStorage,
        _ transform: ColorTransform?
    ) throws(DecodeError) {
        try decode(bytes, resampledTo: [(request, storage)], transform)
    }

    /// The same for several results of one decode, each as it would be alone. A bitmap is one result after the other.
    ///
    /// - Parameter outputs: 1 to ``CodecCall/maxOutputs``, with equal ``leftOutDetail(for:)``.
    mutating func decode(
        _ bytes: Span<UInt8>, resampledTo outputs: [(request: ResampleRequest, storage: PixelStorage)],
        _ transform: ColorTransform?
    ) throws(DecodeError) {
        let (width, height) = pixelSize(turnedBy: .up)
        var own: [(request: ResampleRequest, storage: PixelStorage)] = []
        for (request, storage) in outputs {
            precondition(request.isValid, "a request in range")
            precondition(storage.byteCount == request.width * request.height * 4, "storage of the resampled size")
            precondition(request.sourceWidth == width && request.sourceHeight == height, "a request for this picture")
            var request = request
            if !header.hasAlpha { request.isOpaque = true }
            own.append((request, storage))
        }
        if let bmp {
            for (request, storage) in own {
                try bmp.decode(
                    bytes, resampledBy: request, into: storage, options: call.options, flag: call.flag,
                    damage: &damage)
            }
            return
        }
        guard let first = own.first else { return }
        var call = call
        call.resamples = true
        if let transform, transform.isCMYK { call.cmykTransform = transform }
        try call.decode(bytes, resampledTo: own, leavingOut: leftOutDetail(for: first.request), damage: &damage)
        guard let transform, !transform.isCMYK else { return }
        for (request, storage) in own {
            try call.convert(storage, width: request.width, height: request.height, with: transform, damage: &damage)
        }
    }

    /// An upper estimate of what ``decode(_:resampledBy:into:_:)`` holds besides `storage`, in bytes; `Int.max` when
    /// that many cannot be counted.
    func resampledByteCount(_ request: ResampleRequest) -> Int {
        if let bmp { return bmp.resampledByteCount(request) }
        var resample = imgc_resample_request(resampling: request)
        var facts = facts
        return unsafe Int(clamping: imgc_resampled_bytes(&facts, &resample))
    }

    func leftOutDetail(for request: ResampleRequest) -> LeftOutDetail {
        guard header.format == .jpeg else { return [] }
        let denominator = call.options.scaleDenominator
        guard header.isProgressive else { return quality == .draft && denominator == 8 ? .chroma : [] }
        let part = max(request.cropWidth, request.cropHeight) * Double(denominator)
        return LeftOutDetail(quality, reduction: part / Double(max(request.width, request.height)))
    }
}
