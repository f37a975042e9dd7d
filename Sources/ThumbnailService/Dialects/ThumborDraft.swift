#if Service
/// What the parts of a target have said so far.
struct ThumborDraft {
    var operations = Operations()
    var size = ThumborSize()
    var output: OutputWish
    var policy = AnswerPolicy()
    var isMeta = false
    var wantsBlurHash = false
    /// Of `dpr`: what the sides of the box are multiplied by.
    var pixelRatio = FixedDecimal(1)
    /// Of `stretch`, which counts only where nothing is fitted.
    var isStretched = false

    /// What the filter `preset` may name.
    var presets = ThumborPresets()
    /// Filters so far, those of presets too.
    var filterCount = 0
    /// True while the parts of a preset are read.
    var isInPreset = false
    /// True once a preset was applied.
    var hasPresets = false
    /// True once the target itself said more than `meta` and presets.
    var hasOwnParts = false

    init(quality: Int) { output = OutputWish(quality: quality) }

    /// Reads a segment as a part that may stand at `stage` or later; nil when it is none.
    ///
    /// - Throws: `malformed` for `debug`, for a trim that cannot be and for what tries to be a size.
    mutating func read(_ segment: ArraySlice<UInt8>, at stage: ThumborStage) throws(ServiceError) -> ThumborStage? {
        guard let part = try ThumborPart(segment), part.stage >= stage else {
            if stage <= .size, ThumborPart.triesToBeSize(segment) {
                throw .malformed("a size of the target cannot be read")
            }
            return nil
        }
        switch part {
        case .debug: throw .malformed("debug pictures are not made")
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

    /// The request of all parts, without what has no effect.
    ///
    /// - Throws: `malformed` when `dpr` makes a side too long to be a number of a target.
    consuming func request(from source: SourceName) throws(ServiceError) -> ThumbnailRequest {
        if isStretched, size.mode == .cover { size.mode = .stretch }
        size.width = try scaled(size.width)
        size.height = try scaled(size.height)
        if isMeta { output.kind = .meta(blurHash: wantsBlurHash) }
        operations.size = .thumbor(size)
        operations.removeIneffective(keepsFocus: isMeta)
        return ThumbnailRequest(source: source, operations: operations, output: output, policy: policy)
    }

    /// Rounded half up, at least 1 where it was.
    private func scaled(_ side: ThumborSize.Side) throws(ServiceError) -> ThumborSize.Side {
        guard case .pixels(let pixels) = side, pixelRatio != FixedDecimal(1) else { return side }
        let (product, overflows) = pixels.multipliedReportingOverflow(by: pixelRatio.units)
        let rounded = (product / (FixedDecimal.scale / 2) + 1) / 2
        guard !overflows, rounded <= Number.max else { throw .malformed("dpr makes the picture too large") }
        return .pixels(max(1, rounded))
    }
}
#endif
