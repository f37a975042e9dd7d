/// What is not read of a JPEG.
struct LeftOutDetail: OptionSet {
    let rawValue: UInt8

    /// Of the luma of a progressive file.
    static let lastRefinement = Self(rawValue: 1)
    /// All scans of a progressive file but the first ones.
    static let allButLow = Self(rawValue: 2)
    /// Of chroma of half the size in a baseline file that is decoded at 1/8.
    static let chroma = Self(rawValue: 4)

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

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension ResampleRequest {
    /// The scale 1/n at which libjpeg should decode the source of this request, which is at full size: the largest n of
    /// 1, 2, 4 and 8 that leaves the part that is used so many times the pixels of the result on its longer side.
    ///
    /// With fewer than three the loss shows: 12 megapixels shrunk to 256 pixels keep 55 dB at three times and 47 dB at
    /// twice, against a full decode. Where the aspect ratio is lost, it counts for the other side too.
    ///
    /// - Parameter quality: ``ThumbnailQuality/draft`` wants one time the pixels, the others three times.
    func jpegScaleDenominator(for quality: ThumbnailQuality) -> Int {
        let least: Double = quality == .draft ? 1 : 3
        return [8, 4, 2].first { (denominator: Int) in
            func part(_ length: Double, of side: Int) -> Double {
                length * Double((side + denominator - 1) / denominator) / Double(side)
            }
            let across = part(cropWidth, of: sourceWidth)
            let down = part(cropHeight, of: sourceHeight)
            // The shorter side of a result was rounded, by half a pixel at most.
            return cropWidth >= cropHeight
                ? across >= least * Double(width) && down >= least * (Double(height) - 0.5)
                : down >= least * Double(height) && across >= least * (Double(width) - 0.5)
        } ?? 1
    }
}
