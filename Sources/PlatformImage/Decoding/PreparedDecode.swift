/// A decode whose header has been read: what it will allocate is known, and nothing is allocated.
struct PreparedDecode: Sendable {
    let source: SourceImage
    let orientation: Orientation
    /// Pixels after scaling and turning.
    let width: Int
    let height: Int

    init(source: SourceImage, orientation: Orientation) {
        self.source = source
        self.orientation = orientation
        (width, height) = source.pixelSize(turnedBy: orientation)
    }

    /// What is mapped for the pixels, and upper estimates of the memory for codec and colour profile; at least 1.
    var byteCount: Int {
        let pixels = PixelStorage.allocatedByteCount(width * height * 4)
        let (sum, overflows) = pixels.addingReportingOverflow(source.header.workByteCount)
        let (total, overflowsToo) = sum.addingReportingOverflow(source.profileByteCount)
        return overflows || overflowsToo ? .max : total
    }
}

extension SourceImage {
    /// What making the conversion to sRGB takes; 0 when there is no profile to convert from.
    ///
    /// lcms2 holds copies of the profile's tables in 16 bits. Measured with tables of 8 bits, which grow the most:
    /// 10 times the profile.
    var profileByteCount: Int {
        guard frameCall.options.convertsToSRGB, header.format != .bmp, header.profileSource == .icc else {
            return 0
        }
        // The product fits: of one byte of input deflate makes 1,032 at most.
        return header.iccProfileByteCount * 12
    }
}
