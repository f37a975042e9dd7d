import PlatformImage

/// State of the parser of a thumbor target.
struct ThumborDraft {
    var operations = Operations()
    var size = ThumborSize()
    var output: OutputFormatRequest
    var policy = ResponsePolicy()
    var isMeta = false
    var wantsBlurHash = false
    /// Factor of the filter `dpr`: the requested sides are multiplied by it.
    var pixelRatio = FixedDecimal(1)
    /// True after the filter `stretch`, which is ignored with `fit-in`.
    var isStretched = false

    /// Presets for the filter `preset`.
    var presets = ThumborPresets()
    /// Number of filters parsed so far, including those of presets.
    var filterCount = 0
    /// True while the parts of a preset are parsed.
    var isInPreset = false
    /// True after a preset was applied.
    var hasPresets = false
    /// True when the target itself contains an option other than `meta` and presets.
    var hasExplicitParts = false

    init(quality: Int, metadata: MetadataPolicy = .strip) {
        output = OutputFormatRequest(quality: quality, metadata: OutputMetadata(metadata))
    }

    /// Parses a segment as a part of `stage` or of a later stage. Returns the stage of the part; nil when the segment
    /// is no such part.
    ///
    /// - Throws: `malformed` for `debug`, for an invalid trim and for an invalid size.
    mutating func read(_ segment: ArraySlice<UInt8>, at stage: ThumborStage) throws(ServiceError) -> ThumborStage? {
        guard let part = try ThumborPart(segment), part.stage >= stage else {
            if stage <= .size, ThumborPart.isMalformedSize(segment) {
                throw .malformed("the size in the target is out of range or malformed")
            }
            return nil
        }
        switch part {
        case .debug: throw .malformed("debug images are not supported")
        case .meta: isMeta = true
        case .trim(let trim): operations.trim = trim
        case .crop(let region): operations.region = region
        case .fit(let full, let adaptive): size.mode = .fit(full: full, adaptive: adaptive)
        case .size(let width, let height, let flipsHorizontally, let flipsVertically):
            (size.width, size.height) = (width, height)
            (operations.flipsHorizontally, operations.flipsVertically) = (flipsHorizontally, flipsVertically)
        case .horizontal(let horizontal): operations.focus.horizontal = horizontal
        case .vertical(let vertical): operations.focus.vertical = vertical
        case .smart: operations.focus.isSmart = true
        case .filters: break
        }
        return part.stage
    }

    /// Returns the request; operations that have no effect are removed from it.
    ///
    /// - Throws: `malformed` when `dpr` makes a side larger than ``Number/max``.
    consuming func request(from source: SourceName) throws(ServiceError) -> ThumbnailRequest {
        if isStretched, size.mode == .cover { size.mode = .stretch }
        size.width = try scaled(size.width)
        size.height = try scaled(size.height)
        if isMeta { output.kind = .meta(blurHash: wantsBlurHash) }
        operations.size = .thumbor(size)
        operations.removeIneffective(preservesFocus: isMeta)
        return ThumbnailRequest(source: source, operations: operations, output: output, policy: policy)
    }

    /// Multiplies a side by the pixel ratio, rounded half up, at least 1.
    private func scaled(_ side: ThumborSize.Side) throws(ServiceError) -> ThumborSize.Side {
        guard case .pixels(let pixels) = side, pixelRatio != FixedDecimal(1) else { return side }
        let (product, overflows) = pixels.multipliedReportingOverflow(by: pixelRatio.units)
        let rounded = (product / (FixedDecimal.scale / 2) + 1) / 2
        guard !overflows, rounded <= Number.max else {
            throw .malformed("the filter dpr makes a side larger than \(Number.max) pixels")
        }
        return .pixels(max(1, rounded))
    }
}
