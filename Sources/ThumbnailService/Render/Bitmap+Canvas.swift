import PlatformImage

extension Bitmap {
    /// Places the image on a canvas; parts outside the canvas are cut off.
    func placed(on plan: RenderStep.Canvas, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let backdrop: Backdrop
        switch plan.color {
        case .color(let color): backdrop = .color(color)
        case .average: backdrop = .color(try averageColor(cancellation: cancellation))
        case .blur:
            let blurred = try blurred(Blur(radius: 50), cancellation: cancellation)
            backdrop = .bitmap(
                try blurred.resized(
                    width: plan.width, height: plan.height, limits: .unlimited, cancellation: cancellation))
        }
        return try backdrop.composited(
            self, atX: plan.left, y: plan.top, width: plan.width, height: plan.height,
            operator: plan.blendsTransparency ? .sourceOver : nil, limits: .unlimited, cancellation: cancellation)
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
