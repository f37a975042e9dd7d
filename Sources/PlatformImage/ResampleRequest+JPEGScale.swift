extension ResampleRequest {
    /// The scale 1/n at which libjpeg should decode the source of this request, which is at full size: the largest n of
    /// 1, 2, 4 and 8 that leaves the part that is used three times the pixels of the result on its longer side.
    ///
    /// With fewer the loss shows: 12 megapixels shrunk to 256 pixels keep 55 dB at three times and 47 dB at twice,
    /// against a full decode. Where the aspect ratio is lost, three times counts for the other side too.
    var jpegScaleDenominator: Int {
        [8, 4, 2].first { (denominator: Int) in
            func part(_ length: Double, of side: Int) -> Double {
                length * Double((side + denominator - 1) / denominator) / Double(side)
            }
            let across = part(cropWidth, of: sourceWidth)
            let down = part(cropHeight, of: sourceHeight)
            // The shorter side of a result was rounded, by half a pixel at most.
            return cropWidth >= cropHeight
                ? across >= 3 * Double(width) && down >= 3 * (Double(height) - 0.5)
                : down >= 3 * Double(height) && across >= 3 * (Double(width) - 0.5)
        } ?? 1
    }
}
