/// The destination of a composition that needs memory only for the result: a colour, or a bitmap that is larger than or
/// as large as the result.
package enum Backdrop {
    case color(RGBA8)
    case bitmap(Bitmap)

    /// Composites `top` with the backdrop.
    ///
    /// - Parameters:
    ///   - x: Column of the result for the left edge of `top`; may be negative.
    ///   - y: Row of the result for the top edge of `top`; may be negative.
    ///   - width: Width of the result in pixels; a bitmap as backdrop has this width.
    ///   - height: Height of the result in pixels; a bitmap as backdrop has at least this height.
    ///   - operator: The operator; nil replaces the pixels of the backdrop under `top` and leaves the others unchanged.
    ///   - opacity: 0 to 1; ignored without an operator.
    /// - Throws: `invalidArgument` when a side is below 1, `limitExceeded`, `outOfMemory`, `cancelled`.
    package func composited(
        _ top: Bitmap, atX x: Int, y: Int, width: Int, height: Int, operator: CompositeOperator?, opacity: Double = 1,
        limits: DecodeLimits, cancellation: CancellationFlag?
    ) throws(DecodeError) -> Bitmap {
        if case .bitmap(let bitmap) = self { precondition(bitmap.width == width && bitmap.height >= height) }
        let area = PixelRectangle(x: x, y: y, width: top.width, height: top.height)
            .clipped(toWidth: width, height: height)
        let clearsOutside = `operator`?.keepsUncoveredDestination == false
        return try .written(width: width, height: height, limits: limits) { (pixels) throws(DecodeError) in
            for row in 0..<height {
                if row % 16 == 0 { try cancellation?.poll() }
                let start = row * width * 4
                let area = area.flatMap { row >= $0.y && row < $0.y + $0.height ? $0 : nil }
                if clearsOutside, area == nil {
                    RowKernels.clear(&pixels, start..<start + width * 4)
                    continue
                }
                store(row: row, width: width, in: &pixels, at: start)
                guard let area else { continue }
                let (left, right) = (start + area.x * 4, start + (area.x + area.width) * 4)
                if clearsOutside {
                    RowKernels.clear(&pixels, start..<left)
                    RowKernels.clear(&pixels, right..<start + width * 4)
                }
                top.withRow(row - y) { source in
                    let part = source.extracting((area.x - x) * 4..<(area.x - x + area.width) * 4)
                    if let `operator` {
                        RowKernels.composite(
                            part, to: &pixels, at: left, count: area.width, by: `operator`, opacity: Float(opacity))
                    } else {
                        RowKernels.copy(part, to: &pixels, at: left)
                    }
                }
            }
        }
    }

    private func store(row: Int, width: Int, in pixels: inout MutableSpan<UInt8>, at start: Int) {
        switch self {
        case .color(let color): RowKernels.fill(&pixels, at: start, count: width, with: color)
        case .bitmap(let bitmap): bitmap.withRow(row) { RowKernels.copy($0, to: &pixels, at: start) }
        }
    }
}
