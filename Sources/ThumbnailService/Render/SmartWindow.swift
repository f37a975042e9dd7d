import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Search for the most salient position of a crop window, by edge strength and luma entropy.
///
/// For each position, two values are computed: the sum of the luma gradients in the window, and the entropy of the
/// window's 64-bin luma histogram. Each is divided by its maximum over all positions. The position with the highest sum
/// of both is chosen; if there are several, the position nearest to the centre.
struct SmartWindow {
    private let width: Int
    private let height: Int
    /// Luma composited over white, in row-major order.
    private var luma: [UInt8] = []
    /// Absolute luma differences to the right and lower neighbour, added up for each pixel.
    private var edges: [Int] = []

    /// Prepares a search in a small image: the cost is proportional to pixels times positions.
    init(_ bitmap: Bitmap, cancellation: CancellationFlag? = nil) throws(DecodeError) {
        (width, height) = (bitmap.width, bitmap.height)
        var luma: [UInt8] = []
        luma.reserveCapacity(width * height)
        let white = RGBA8(red: 255, green: 255, blue: 255)
        try bitmap.forEachRow(cancellation: cancellation) { _, row in
            for at in stride(from: 0, to: row.count, by: 4) {
                luma.append(RGBA8(in: row, at: at).over(white).luma)
            }
        }
        self.luma = luma
        edges = (0..<width * height).map { index in
            let (here, x, y) = (Int(luma[index]), index % width, index / width)
            let right = x + 1 < width ? abs(Int(luma[index + 1]) - here) : 0
            let below = y + 1 < height ? abs(Int(luma[index + width]) - here) : 0
            return right + below
        }
    }

    /// Returns the first column of the best window with `count` columns and all rows.
    func firstColumn(ofColumns count: Int, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Int {
        try best(positions: width - count, cancellation) { (0..<height, $0..<$0 + count) }
    }

    /// Returns the first row of the best window with `count` rows over `columns`.
    func firstRow(
        ofRows count: Int, columns: Range<Int>, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try best(positions: height - count, cancellation) { ($0..<$0 + count, columns) }
    }

    private func best(
        positions last: Int, _ flag: CancellationFlag?, _ window: (Int) -> (rows: Range<Int>, columns: Range<Int>)
    ) throws(DecodeError) -> Int {
        var found: [(edges: Double, entropy: Double)] = []
        for position in 0...max(0, last) {
            try flag?.poll()
            let (rows, columns) = window(position)
            found.append(measure(rows, columns))
        }
        let maxEdges = found.map(\.edges).max() ?? 0
        let maxEntropy = found.map(\.entropy).max() ?? 0
        let scores = found.map { position in
            (maxEdges > 0 ? position.edges / maxEdges : 0) + (maxEntropy > 0 ? position.entropy / maxEntropy : 0)
        }
        // Positions are tried from the centre outwards. A position replaces the best one only if its score is higher by
        // more than 1e-9, so that rounding errors have no effect.
        let middle = max(0, last) / 2
        var best = middle
        for position in scores.indices.sorted(by: { abs($0 - middle) < abs($1 - middle) })
        where scores[position] > scores[best] + 1e-9 {
            best = position
        }
        return best
    }

    private func measure(_ rows: Range<Int>, _ columns: Range<Int>) -> (edges: Double, entropy: Double) {
        var sum = 0
        var counts = [Int](repeating: 0, count: 64)
        for y in rows {
            for index in (y * width + columns.lowerBound)..<(y * width + columns.upperBound) {
                sum += edges[index]
                counts[Int(luma[index] >> 2)] += 1
            }
        }
        return (Double(sum), Self.entropy(counts))
    }

    /// Shannon entropy of a histogram in bits.
    private static func entropy(_ counts: [Int]) -> Double {
        let total = Double(counts.reduce(0, +))
        return counts.reduce(0) { sum, count in
            guard count > 0 else { return sum }
            let share = Double(count) / total
            return sum - share * log2(share)
        }
    }
}

extension RenderPlan {
    /// Longer side of the reduced image that is searched, in pixels.
    static let searchedSide = 128

    /// Moves the crop to the most salient position in `image`.
    ///
    /// - Parameter image: The complete ``region``, reduced in size.
    mutating func moveCrop(using image: Bitmap, cancellation: CancellationFlag? = nil) throws(DecodeError) {
        let (spareWidth, spareHeight) = (region.width - crop.width, region.height - crop.height)
        let search = try SmartWindow(image, cancellation: cancellation)
        func shrunk(_ part: Int, _ total: Int, _ side: Int) -> Int {
            min(side, max(1, (2 * part * side + total) / (2 * total)))
        }
        let columns = shrunk(crop.width, region.width, image.width)
        let rows = shrunk(crop.height, region.height, image.height)
        let left = try search.firstColumn(ofColumns: columns, cancellation: cancellation)
        let top = try search.firstRow(
            ofRows: rows, columns: left..<left + columns, cancellation: cancellation)
        // The first and last positions map exactly to the region's edges, regardless of rounding in the reduced image.
        crop.x = region.x + Self.offset(left, of: image.width - columns, in: spareWidth)
        crop.y = region.y + Self.offset(top, of: image.height - rows, in: spareHeight)
    }

    private static func offset(_ index: Int, of last: Int, in spare: Int) -> Int {
        last > 0 ? (2 * spare * index + last) / (2 * last) : spare / 2
    }
}
