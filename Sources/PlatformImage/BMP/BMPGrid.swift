/// The size of the image and the order of its rows in the file.
///
/// A *stored row* is counted in file order: stored row 0 is the bottom row of most files, and the top row of a top-down
/// file. ``DecodeStatus/truncated(rows:)`` counts stored rows, so in a bottom-up file the valid rows are the lowest
/// rows of the image.
struct BMPGrid {
    let width: Int
    let height: Int
    let isTopDown: Bool

    var bytesPerRow: Int { width * 4 }

    /// The byte range of consecutive stored rows in the decoded pixels.
    func pixelBytes(of rows: Range<Int>) -> Range<Int> {
        isTopDown
            ? rows.lowerBound * bytesPerRow..<rows.upperBound * bytesPerRow
            : (height - rows.upperBound) * bytesPerRow..<(height - rows.lowerBound) * bytesPerRow
    }

    /// The byte offset of a stored row in the decoded pixels.
    func pixelStart(of row: Int) -> Int { (isTopDown ? row : height - 1 - row) * bytesPerRow }

    /// An upper estimate, in bytes, of the memory that a decode needs in addition to the pixels: palette and bit
    /// fields.
    static let workByteCount = 4_096

    /// Checks the size against the limits; afterwards no product of width, height and 4 overflows.
    ///
    /// - Parameter rowsHeld: Number of rows in memory at the same time; nil for all rows.
    func check(_ limits: DecodeLimits, rowsHeld: Int? = nil) throws(DecodeError) {
        // Width and height are below 2^31: the product cannot overflow.
        let pixels = width * height
        try check(max(width, height), limits.maxSide, "maxSide", "a side of \(max(width, height)) pixels exceeds")
        try check(pixels, limits.maxPixels, "maxPixels", "\(pixels) pixels exceed")
        // Regardless of the limits, an image must fit into the address space.
        try check(pixels, Int.max / 16, "maxPixels", "\(pixels) pixels exceed")
        let memory = width * min(height, rowsHeld ?? height) * 4 + Self.workByteCount
        try check(memory, limits.maxMemory, "maxMemory", "\(memory) bytes of memory exceed")
    }

    private func check(
        _ value: Int, _ limit: Int?, _ name: String, _ found: @autoclosure () -> String
    ) throws(DecodeError) {
        guard let limit, value > limit else { return }
        throw DecodeError(.limitExceeded, format: .bmp, detail: name, "bmp: \(found()) the limit of \(limit)")
    }

    func header(
        bits: Int, channels: Int, _ model: ImageHeader.ColorModel, hasAlpha: Bool
    ) -> ImageHeader {
        var header = ImageHeader(
            format: .bmp, width: width, height: height, bitsPerChannel: bits, channelCount: channels,
            colorModel: model, hasAlpha: hasAlpha)
        header.frameCount = 1
        header.workByteCount = Self.workByteCount
        return header
    }

    func header(_ rows: BMPRows) -> ImageHeader {
        switch rows.layout {
        case .indexed(let bits, _): header(bits: bits, channels: 1, .indexed, hasAlpha: false)
        case .bgr, .bgrx: header(bits: 8, channels: 3, .rgb, hasAlpha: false)
        case .bgra: header(bits: 8, channels: 4, .rgb, hasAlpha: true)
        case .fields16(let masks), .fields32(let masks):
            header(bits: masks.widestFieldBits, channels: masks.hasAlpha ? 4 : 3, .rgb, hasAlpha: masks.hasAlpha)
        }
    }
}
