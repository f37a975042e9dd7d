// The discrete cosine transform of BlurHash.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The first DCT terms of an image in linear light, in row-major order.
struct BlurHashTerms {
    let columns: Int
    let rows: Int
    let values: [SIMD3<Double>]

    init(of grid: LightGrid, columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        let horizontal = (0..<columns).map { Cosine.means($0, count: grid.width, cells: grid.columns) }
        let vertical = (0..<rows).map { Cosine.means($0, count: grid.height, cells: grid.rows) }
        var sums = [SIMD3<Double>](repeating: .zero, count: columns * rows)
        for y in 0..<grid.rows {
            for column in 0..<columns {
                let weights = horizontal[column]
                var sum = SIMD3<Double>.zero
                for x in 0..<grid.columns {
                    let at = (y * grid.columns + x) * 3
                    sum += SIMD3(grid.sums[at], grid.sums[at + 1], grid.sums[at + 2]) * weights[x]
                }
                for row in 0..<rows { sums[row * columns + column] += sum * vertical[row][y] }
            }
        }
        let pixels = Double(grid.width) * Double(grid.height)
        values = sums.indices.map { sums[$0] * (($0 == 0 ? 1 : 2) / pixels) }
    }
}

/// An image reduced to at most 64 x 64 cells, each the sum of its pixels in linear light.
struct LightGrid {
    let width: Int
    let height: Int
    let columns: Int
    let rows: Int
    /// Row-major order; red, green and blue per cell.
    let sums: [Double]

    init(_ bitmap: Bitmap, background: RGBA8) {
        width = bitmap.width
        height = bitmap.height
        let (columns, rows) = (min(64, bitmap.width), min(64, bitmap.height))
        self.columns = columns
        self.rows = rows
        sums = bitmap.withBytes {
            RowKernels.lightGrid(
                $0, width: bitmap.width, height: bitmap.height, columns: columns, rows: rows, background: background)
        }
    }
}

/// The basis functions of the transform: `cos(pi * term * x / count)`.
enum Cosine {
    static func value(_ term: Int, at x: Int, of count: Int) -> Double {
        cos(Double.pi * Double(term) * Double(x) / Double(count))
    }

    static func samples(_ term: Int, count: Int) -> [Double] {
        (0..<count).map { value(term, at: $0, of: count) }
    }

    /// The mean of a basis function over each cell: `cells` ranges that cover `0..<count`.
    static func means(_ term: Int, count: Int, cells: Int) -> [Double] {
        (0..<cells).map { cell in
            let (first, end) = (cell * count / cells, (cell + 1) * count / cells)
            return (first..<end).reduce(0) { $0 + value(term, at: $1, of: count) } / Double(end - first)
        }
    }
}

/// The sRGB transfer function (IEC 61966-2-1).
enum SRGB {
    static func light(_ sample: UInt8) -> Double {
        let value = Double(sample) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// The nearest sample; NaN and negative values give 0.
    static func sample(_ light: Double) -> UInt8 {
        let value = light > 0 ? min(1, light) : 0
        let coded = value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        return UInt8(min(255, (coded * 255 + 0.5).rounded(.down)))
    }
}
