/// The decode parameters of a thumbnail: thumbnails of one file with equal plans can share one decode.
package struct ThumbnailPlan: Hashable, Sendable {
    let scaleDenominator: Int
    let skippedDetail: SkippedDetail.RawValue

    init(_ prepared: PreparedThumbnail) {
        scaleDenominator = prepared.source.call.options.scaleDenominator
        skippedDetail = prepared.source.skippedDetail(for: prepared.request).rawValue
    }

    init(scaleDenominator: Int, detail: SkippedDetail) {
        self.scaleDenominator = scaleDenominator
        skippedDetail = detail.rawValue
    }

    var detail: SkippedDetail { SkippedDetail(rawValue: skippedDetail) }

    /// The plan whose decode contains all detail that one of the plans contains; nil without plans. The plans must be
    /// plans of one file.
    ///
    /// A greater raw value of ``SkippedDetail`` skips more: `laterScans` includes `lastRefinement`, and `chroma` and
    /// `highFrequencies` occur only in files without these scans.
    static func finest(_ plans: [ThumbnailPlan]) -> ThumbnailPlan? {
        guard let denominator = plans.map(\.scaleDenominator).min(), let detail = plans.map(\.skippedDetail).min()
        else { return nil }
        return ThumbnailPlan(scaleDenominator: denominator, detail: SkippedDetail(rawValue: detail))
    }
}
