import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Small copies of many pictures, side by side.
struct ContactSheet {
    /// Pixels from one picture to the next.
    private static let pitch = 48
    /// Pixels of the longer side of a picture, at most.
    private static let side = 44
    private static let paper = RGBA8(red: 30, green: 32, blue: 36)

    /// Pictures in a row.
    let columns: Int
    /// Rows of pictures.
    let rows: Int
    private var pixels: [UInt8]
    private var width: Int { columns * Self.pitch }

    /// - Parameter count: Places for pictures, 1 or more; the sheet is wider than high, as a screen is.
    init(count: Int) {
        precondition(count > 0, "a sheet has a picture")
        var columns = 1
        while columns * columns * 5 < count * 8 { columns += 1 }
        self.columns = columns
        rows = (count + columns - 1) / columns
        let paper = [Self.paper.red, Self.paper.green, Self.paper.blue, 255]
        let count = columns * rows * Self.pitch * Self.pitch
        pixels = (0..<count).flatMap { _ in paper }
    }

    /// Puts a picture in the middle of a place, from 0: a large one shrunk, a small one enlarged by a whole number.
    mutating func draw(_ bitmap: Bitmap, at place: Int) {
        let longer = max(bitmap.width, bitmap.height)
        let scale = max(1, Self.side / longer)
        let width = longer > Self.side ? max(1, bitmap.width * Self.side / longer) : bitmap.width * scale
        let height = longer > Self.side ? max(1, bitmap.height * Self.side / longer) : bitmap.height * scale
        let left = place % columns * Self.pitch + (Self.pitch - width) / 2
        let top = place / columns * Self.pitch + (Self.pitch - height) / 2
        for y in 0..<height {
            let from = y * bitmap.height / height
            let upTo = max(from + 1, (y + 1) * bitmap.height / height)
            let sums = Self.sums(bitmap, rows: from..<upTo, columns: width)
            for x in 0..<width { set(left + x, top + y, sums[x]) }
        }
    }

    /// The sheet.
    var bitmap: Bitmap {
        Bitmap(width: width, height: rows * Self.pitch) { span in
            for index in pixels.indices { span[index] = pixels[index] }
        }
    }

    /// Sums over boxes of pixels: red, green and blue times alpha, alpha, and the count.
    private static func sums(_ bitmap: Bitmap, rows: Range<Int>, columns: Int) -> [SIMD8<UInt64>] {
        var sums = [SIMD8<UInt64>](repeating: .zero, count: columns)
        for row in rows {
            bitmap.withRow(row) { bytes in
                for column in 0..<columns {
                    let from = column * bitmap.width / columns
                    for x in from..<max(from + 1, (column + 1) * bitmap.width / columns) {
                        let alpha = UInt64(bytes[x * 4 + 3])
                        let color = SIMD8<UInt64>(
                            UInt64(bytes[x * 4]), UInt64(bytes[x * 4 + 1]), UInt64(bytes[x * 4 + 2]), 1, 0, 0, 0, 0)
                        sums[column] &+= color &* alpha
                        sums[column][4] += 1
                    }
                }
            }
        }
        return sums
    }

    /// The mean of a box, over the paper where it is transparent.
    private mutating func set(_ x: Int, _ y: Int, _ sum: SIMD8<UInt64>) {
        let whole = sum[4] * 255
        let paper = [Self.paper.red, Self.paper.green, Self.paper.blue]
        let at = (y * width + x) * 4
        for channel in 0..<3 {
            let light = sum[channel] + UInt64(paper[channel]) * (whole - sum[3])
            pixels[at + channel] = UInt8(clamping: (light + whole / 2) / max(1, whole))
        }
    }
}

extension Bitmap {
    /// True when size and every byte are equal.
    func hasSamePixels(as other: Bitmap) -> Bool {
        guard width == other.width, height == other.height else { return false }
        return withBytes { mine in
            other.withBytes { others in
                mine.withUnsafeBufferPointer { mine in
                    others.withUnsafeBufferPointer { others in
                        guard let one = mine.baseAddress, let other = others.baseAddress else { return false }
                        return memcmp(one, other, mine.count) == 0
                    }
                }
            }
        }
    }
}
