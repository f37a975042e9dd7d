import PlatformImage

/// A bitmap as terminal text: each cell is an upper half block, with one pixel as its foreground and the pixel below as
/// its background colour. A checkerboard is visible behind transparent pixels.
struct HalfBlocks {
    private let width: Int
    private let height: Int
    private var colors: [RGBA8] = []

    /// Shrinks the bitmap to at most `columns` pixels per row and keeps its aspect ratio; never enlarges.
    init(_ bitmap: Bitmap, columns: Int) {
        width = min(max(1, columns), bitmap.width)
        height = max(1, (bitmap.height * width + bitmap.width / 2) / bitmap.width)
        // Each output pixel is the mean of a box of source pixels. These are the sums of each box in one row of boxes:
        // red, green and blue times alpha, then alpha times 255, then the number of pixels.
        var sums = [SIMD8<UInt64>](repeating: .zero, count: width)
        for y in 0..<bitmap.height {
            let boxRow = y * height / bitmap.height
            add(bitmap, row: y, to: &sums)
            if y + 1 == bitmap.height || (y + 1) * height / bitmap.height > boxRow {
                colors += sums.indices.map { color(sums[$0], $0, boxRow) }
                for x in sums.indices { sums[x] = .zero }
            }
        }
    }

    /// Lines with 24-bit colour escape sequences (SGR 38 and 48); each line ends with a reset.
    var text: String {
        var text = ""
        for row in stride(from: 0, to: height, by: 2) {
            var last: (upper: RGBA8, lower: RGBA8?)?
            for x in 0..<width {
                let upper = colors[row * width + x]
                let lower = row + 1 < height ? colors[(row + 1) * width + x] : nil
                if last?.upper != upper { text += "\u{1B}[38;2;\(upper.red);\(upper.green);\(upper.blue)m" }
                if let lower, last?.lower != lower {
                    text += "\u{1B}[48;2;\(lower.red);\(lower.green);\(lower.blue)m"
                }
                text += "▀"
                last = (upper, lower)
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }

    private func add(_ bitmap: Bitmap, row y: Int, to sums: inout [SIMD8<UInt64>]) {
        let (sourceWidth, width) = (bitmap.width, width)
        bitmap.withRow(y) { bytes in
            for x in 0..<sourceWidth {
                let alpha = UInt64(bytes[x * 4 + 3])
                let pixel = SIMD8<UInt64>(
                    UInt64(bytes[x * 4]), UInt64(bytes[x * 4 + 1]), UInt64(bytes[x * 4 + 2]), 255, 0, 0, 0, 0)
                var weighted = pixel &* alpha
                weighted[4] = 1
                sums[x * width / sourceWidth] &+= weighted
            }
        }
    }

    /// Mean colour of a box composited over the checkerboard, whose squares are four pixels wide.
    private func color(_ sum: SIMD8<UInt64>, _ x: Int, _ y: Int) -> RGBA8 {
        let total = sum[4] * 255
        let checkerGray: UInt64 = (x / 4 + y / 4).isMultiple(of: 2) ? 204 : 153
        func mixed(_ channel: Int) -> UInt8 {
            let light = sum[channel] + checkerGray * (total - sum[3] / 255)
            return UInt8(clamping: (light + total / 2) / max(1, total))
        }
        return RGBA8(red: mixed(0), green: mixed(1), blue: mixed(2))
    }
}
