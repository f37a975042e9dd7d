// Shrinking while a codec reads: the request in C's terms.

internal import CImageCodecs

extension CodecCall {
    /// Results that one decode can be resampled to at most.
    static let maxOutputs = Int(IMGC_MAX_OUTPUTS)

    /// Fills each storage with the still picture, resampled on the way as its request says; as stored, not turned.
    ///
    /// - Parameter outputs: 1 to ``maxOutputs``, of one size of source and alike in being opaque.
    func decode(
        _ bytes: Span<UInt8>, resampledTo outputs: [(request: ResampleRequest, storage: PixelStorage)],
        leavingOut detail: LeftOutDetail, damage: inout Damage
    ) throws(DecodeError) {
        let resamples = outputs.map { imgc_resample_request(resampling: $0.request) }
        try unsafe Self.withTargets(outputs[...], []) { (targets) throws(DecodeError) in
            try unsafe call(bytes, flags: detail.rawValue, damage: &damage) { call, report in
                unsafe imgc_decode_resampled_all(&call, resamples, targets, UInt32(targets.count), &report)
            }
        }
    }

    /// Calls `body` with a target for each storage, all of which live as long.
    private static func withTargets(
        _ outputs: ArraySlice<(request: ResampleRequest, storage: PixelStorage)>, _ targets: [imgc_target],
        _ body: ([imgc_target]) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        guard let (request, storage) = outputs.first else { return try unsafe body(targets) }
        try unsafe storage.withMutablePointer { (pixels) throws(DecodeError) in
            let next = unsafe target(pixels, storage.byteCount, request.width, request.height, .up)
            try unsafe withTargets(outputs.dropFirst(), targets + [next], body)
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

/// What is not read of a JPEG.
struct LeftOutDetail: OptionSet {
    let rawValue: UInt32

    /// Of the luma of a progressive file.
    static let lastRefinement = Self(rawValue: UInt32(IMGC_NO_LAST_REFINEMENT))
    /// All scans of a progressive file but the first ones.
    static let allButLow = Self(rawValue: UInt32(IMGC_LOW_SCANS_ONLY))
    /// Of chroma of half the size in a baseline file that is decoded at 1/8.
    static let chroma = Self(rawValue: UInt32(IMGC_FLAT_CHROMA))

    /// What is left out of a progressive file.
    ///
    /// - Parameter reduction: Pixels of the part that is used to pixels of the result, on the longer side.
    init(_ quality: ThumbnailQuality, reduction: Double) {
        switch quality {
        case .fast where reduction >= 8, .draft where reduction >= 8: self = .allButLow
        case .balanced where reduction >= 4, .fast where reduction >= 4, .draft where reduction >= 4:
            self = .lastRefinement
        default: self = []
        }
    }

    init(rawValue: UInt32) { self.rawValue = rawValue }
}
