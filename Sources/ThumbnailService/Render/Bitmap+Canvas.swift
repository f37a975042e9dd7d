#if Service
import PlatformImage

extension Bitmap {
    /// Places the image on a canvas; parts outside the canvas are cut off.
    func placed(on plan: RenderStep.Canvas, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let (width, height, left, top) = (plan.width, plan.height, plan.left, plan.top)
        let columns = max(0, left)..<max(max(0, left), min(width, left + self.width))
        let backdrop: Bitmap?
        let color: RGBA8
        switch plan.color {
        case .color(let fill): (backdrop, color) = (nil, fill)
        case .average: (backdrop, color) = (nil, try averageColor(cancellation: cancellation))
        case .blur:
            let blurred = try blurred(Blur(radius: 50), cancellation: cancellation)
            backdrop = try blurred.resized(
                width: width, height: height, limits: .unlimited, cancellation: cancellation)
            color = RGBA8(red: 0, green: 0, blue: 0, alpha: 0)
        }
        return try .written(width: width, height: height) { (pixels) throws(DecodeError) in
            for y in 0..<height {
                if y % 16 == 0 { try cancellation?.poll() }
                let start = y * width * 4
                if let backdrop {
                    backdrop.withRow(y) { row in for at in 0..<row.count { pixels[start + at] = row[at] } }
                } else {
                    for x in 0..<width { color.store(in: &pixels, at: start + x * 4) }
                }
                guard y >= top, y < top + self.height else { continue }
                withRow(y - top) { row in
                    for x in columns {
                        let pixel = RGBA8(in: row, at: (x - left) * 4)
                        let at = start + x * 4
                        guard plan.blendsTransparency else {
                            pixel.store(in: &pixels, at: at)
                            continue
                        }
                        let below = RGBA8(
                            red: pixels[at], green: pixels[at + 1], blue: pixels[at + 2], alpha: pixels[at + 3])
                        pixel.over(below).store(in: &pixels, at: at)
                    }
                }
            }
        }
    }

    /// Mean of all pixels, weighted by alpha and rounded down as in thumbor. The result is opaque, and black when all
    /// pixels are transparent.
    func averageColor(cancellation: CancellationFlag? = nil) throws(DecodeError) -> RGBA8 {
        // 50 million pixels times 255 times 255 are far below 2⁶³.
        var (red, green, blue, weight) = (0, 0, 0, 0)
        try forEachRow(cancellation: cancellation) { _, row in
            for at in stride(from: 0, to: row.count, by: 4) {
                let alpha = Int(row[at + 3])
                red += Int(row[at]) * alpha
                green += Int(row[at + 1]) * alpha
                blue += Int(row[at + 2]) * alpha
                weight += alpha
            }
        }
        guard weight > 0 else { return RGBA8(red: 0, green: 0, blue: 0) }
        return RGBA8(red: UInt8(red / weight), green: UInt8(green / weight), blue: UInt8(blue / weight))
    }
}
#endif
