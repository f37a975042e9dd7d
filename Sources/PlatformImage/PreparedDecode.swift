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

    /// What is mapped for the pixels, and the upper estimate of the codec's work memory; at least 1.
    var byteCount: Int {
        let pixels = PixelStorage.allocatedByteCount(width * height * 4)
        let (sum, overflows) = pixels.addingReportingOverflow(source.header.workByteCount)
        return overflows ? .max : sum
    }
}
