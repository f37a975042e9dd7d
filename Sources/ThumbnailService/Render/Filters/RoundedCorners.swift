#if Service
import PlatformImage

/// What lies outside an ellipse in each of the four corners is cut off, with smooth edges.
struct RoundedCorners: Hashable {
    /// Half the width of the ellipse in pixels; at most half of the picture's width is used.
    let across: Int
    /// Half its height, likewise.
    let down: Int
    /// What the corners are painted with; nil makes them transparent.
    let color: RGBA8?

    /// Steps in each direction in which the share of a pixel is counted.
    static let samples = 16

    /// Shares of the pixels of the top left corner that are kept, row after row, in units of 1 / 256.
    ///
    /// A sample is inside when `((a - x) / a)² + ((b - y) / b)² <= 1`, in whole numbers of half samples.
    static func coverage(across: Int, down: Int) -> [UInt16] {
        var result = [UInt16](repeating: 0, count: across * down)
        let unit = 2 * samples
        let (a, b) = (across * unit, down * unit)
        for y in 0..<down {
            for sampleY in 0..<samples {
                let fromMiddle = b - (y * unit + 2 * sampleY + 1)
                // The samples of this line that are inside begin at this distance from the middle.
                let height = Double(fromMiddle) / Double(b)
                let reach = Double(a) * (1 - height * height).squareRoot()
                for x in 0..<across {
                    // Sample s of this pixel lies `right - 2 s` from the middle.
                    let right = Double(a - x * unit - 1)
                    let outside = ((right - reach) / 2).rounded(.up)
                    let inside = Double(samples) - min(max(0, outside), Double(samples))
                    result[y * across + x] += UInt16(inside)
                }
            }
        }
        return result
    }
}

extension Bitmap {
    /// A copy with rounded corners.
    func rounded(_ corners: RoundedCorners, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        let across = min(corners.across, width / 2)
        let down = min(corners.down, height / 2)
        guard across > 0, down > 0 else { return self }
        try cancellation?.poll()
        let kept = RoundedCorners.coverage(across: across, down: down)
        try cancellation?.poll()
        let (width, height) = (width, height)
        return try writingRows(cancellation: cancellation) { y, row, pixels, start in
            let line = min(y, height - 1 - y)
            for x in 0..<width {
                let at = x * 4
                let pixel = RGBA8(red: row[at], green: row[at + 1], blue: row[at + 2], alpha: row[at + 3])
                let column = min(x, width - 1 - x)
                let share = line < down && column < across ? Int(kept[line * across + column]) : 256
                pixel.kept(share, over: corners.color).store(in: &pixels, at: start + at)
            }
        }
    }
}

extension RGBA8 {
    /// A pixel of which `share` / 256 is left, and `color` or nothing elsewhere.
    fileprivate func kept(_ share: Int, over color: RGBA8?) -> RGBA8 {
        if share == 256 { return self }
        guard let color else {
            var pixel = self
            pixel.alpha = UInt8((Int(alpha) * share + 128) / 256)
            return pixel
        }
        // Both weigh by their alpha, and the sum of weights is the new one's.
        let (mine, others) = (Int(alpha) * share, Int(color.alpha) * (256 - share))
        let sum = mine + others
        guard sum > 0 else { return RGBA8(red: 0, green: 0, blue: 0, alpha: 0) }
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Int(a) * mine + Int(b) * others + sum / 2) / sum) }
        return RGBA8(
            red: mix(red, color.red), green: mix(green, color.green), blue: mix(blue, color.blue),
            alpha: UInt8((sum + 128) / 256))
    }
}
#endif
