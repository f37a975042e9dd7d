// Shrinking while a codec reads: the request in C's terms.

internal import CImageCodecs

extension CodecCall {
    /// Fills `storage` with the still picture, resampled on the way; as stored, not turned.
    func decode(
        _ bytes: Span<UInt8>, resampledBy request: ResampleRequest, leavingOut scans: LeftOutScans,
        into storage: PixelStorage, damage: inout Damage
    ) throws(DecodeError) {
        var resample = imgc_resample_request(resampling: request)
        try unsafe storage.withMutablePointer { (pixels) throws(DecodeError) in
            var target = unsafe Self.target(pixels, storage.byteCount, request.width, request.height, .up)
            try unsafe call(bytes, flags: scans.rawValue, damage: &damage) { call, report in
                unsafe imgc_decode_resampled(&call, &resample, &target, &report)
            }
        }
    }
}

extension imgc_resample_request {
    init(resampling request: ResampleRequest) {
        var flags: UInt32 = 0
        if request.isOpaque { flags |= UInt32(IMGC_RESAMPLE_OPAQUE) }
        if request.weighsLight { flags |= UInt32(IMGC_RESAMPLE_LINEAR) }
        self.init(
            source_width: UInt32(clamping: request.sourceWidth), source_height: UInt32(clamping: request.sourceHeight),
            crop_x: request.cropX, crop_y: request.cropY, crop_width: request.cropWidth,
            crop_height: request.cropHeight, width: UInt32(clamping: request.width),
            height: UInt32(clamping: request.height), filter: imgc_filter(resampling: request.filter), flags: flags)
    }
}

extension imgc_filter {
    fileprivate init(resampling filter: ResampleFilter) {
        self =
            switch filter {
            case .nearest: IMGC_FILTER_NEAREST
            case .box: IMGC_FILTER_BOX
            case .triangle: IMGC_FILTER_TRIANGLE
            case .mitchell: IMGC_FILTER_MITCHELL
            case .lanczos3: IMGC_FILTER_LANCZOS3
            }
    }
}

/// What libjpeg is not shown of a progressive JPEG.
struct LeftOutScans: OptionSet {
    let rawValue: UInt32

    static let lastRefinement = Self(rawValue: UInt32(IMGC_NO_LAST_REFINEMENT))
    static let allButLow = Self(rawValue: UInt32(IMGC_LOW_SCANS_ONLY))

    /// - Parameter reduction: Pixels of the part that is used to pixels of the result, on the longer side.
    init(_ quality: ThumbnailQuality, reduction: Double) {
        switch quality {
        case .fast where reduction >= 8: self = .allButLow
        case .balanced where reduction >= 4, .fast where reduction >= 4: self = .lastRefinement
        default: self = []
        }
    }

    init(rawValue: UInt32) { self.rawValue = rawValue }
}
