/// The parts of a JPEG that a thumbnail decode skips.
struct SkippedDetail: OptionSet {
    let rawValue: UInt8

    /// The last luma refinement scan of a progressive file.
    static let lastRefinement = Self(rawValue: 1)
    /// All refinement scans of AC coefficients of a progressive file, and the luma AC scans that start at a high
    /// frequency.
    static let laterScans = Self(rawValue: 2)
    /// Chroma detail of a JPEG that is not progressive, has 4:2:0 chroma, and is decoded at scale 1/8.
    static let chroma = Self(rawValue: 4)
    /// All but the lowest 2 x 2 coefficients of the blocks that are reduced to 2 x 2 samples, in a JPEG that is not
    /// progressive and is decoded at scale 1/4 or 1/8.
    static let highFrequencies = Self(rawValue: 8)

    /// Selects the parts of a progressive file to skip.
    ///
    /// - Parameter reduction: Ratio of source pixels to result pixels on the longer side.
    init(_ quality: ThumbnailQuality, reduction: Double) {
        switch quality {
        case .fast where reduction >= 8, .draft where reduction >= 8: self = .laterScans
        case .balanced where reduction >= 4, .fast where reduction >= 4, .draft where reduction >= 4:
            self = .lastRefinement
        default: self = []
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension ResampleRequest {
    /// The denominator n of the scale 1/n at which a JPEG of the full source size is decoded. It is the largest n of 2,
    /// 4 and 8 at which width and height of the scaled crop are at least the required multiple of the result's width
    /// and height; 1 when none of them is sufficient.
    ///
    /// Below a multiple of three the loss is visible: 12 megapixels reduced to 256 pixels have a PSNR of 55 dB with the
    /// multiple 3 and 47 dB with the multiple 2, relative to a full decode. Both sides are checked, because the result
    /// may have another aspect ratio than the crop.
    ///
    /// - Parameter quality: ``ThumbnailQuality/draft`` requires a multiple of 1, the other qualities a multiple of 3.
    ///   For a draft, the scaled crop is measured before its size is rounded up, as in Pillow's draft mode: 2000 x 1500
    ///   as 250 x 188 is decoded at 1/4, because 1500/8 is less than 188.
    func jpegScaleDenominator(for quality: ThumbnailQuality) -> Int {
        guard quality != .draft else {
            return [8, 4, 2].first {
                cropWidth >= Double(width * $0) && cropHeight >= Double(height * $0)
            } ?? 1
        }
        let least = 3.0
        return [8, 4, 2].first { (denominator: Int) in
            func part(_ length: Double, of side: Int) -> Double {
                length * Double((side + denominator - 1) / denominator) / Double(side)
            }
            let across = part(cropWidth, of: sourceWidth)
            let down = part(cropHeight, of: sourceHeight)
            // The shorter side of the result may have been rounded up, by at most half a pixel. The decode needs only
            // the multiple of the length before rounding.
            return cropWidth >= cropHeight
                ? across >= least * Double(width) && down >= least * (Double(height) - 0.5)
                : down >= least * Double(height) && across >= least * (Double(width) - 0.5)
        } ?? 1
    }
}
