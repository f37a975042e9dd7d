#if Service
import Foundation
import PlatformImage

/// Where a window over a picture sees most: a search by edges and by how much the brightness varies.
///
/// For each place the sum of the steps of brightness inside, and the entropy of the brightness inside in 64 classes,
/// are taken as shares of the largest of all places; the highest sum of both wins, of equals the one nearest to the
/// middle.
struct SmartWindow {
    private let width: Int
    private let height: Int
    /// Brightness over white, row after row.
    private var luma: [UInt8] = []
    /// Steps of brightness to the right and below.
    private var edges: [Int] = []

    /// A search in a picture, which should be small: its cost grows with pixels times places.
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

    /// The place of a window of that many columns and all rows, as its first column.
    func firstColumn(ofColumns count: Int, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Int {
        try best(places: width - count, cancellation) { (0..<height, $0..<$0 + count) }
    }

    /// The place of a window of that many rows over some columns, as its first row.
    func firstRow(
        ofRows count: Int, columns: Range<Int>, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Int {
        try best(places: height - count, cancellation) { ($0..<$0 + count, columns) }
    }

    private func best(
        places last: Int, _ flag: CancellationFlag?, _ window: (Int) -> (rows: Range<Int>, columns: Range<Int>)
    ) throws(DecodeError) -> Int {
        var found: [(edges: Double, entropy: Double)] = []
        for place in 0...max(0, last) {
            try flag?.poll()
            let (rows, columns) = window(place)
            found.append(measure(rows, columns))
        }
        let mostEdges = found.map(\.edges).max() ?? 0
        let mostEntropy = found.map(\.entropy).max() ?? 0
        let scores = found.map { place in
            (mostEdges > 0 ? place.edges / mostEdges : 0) + (mostEntropy > 0 ? place.entropy / mostEntropy : 0)
        }
        // Places are tried from the middle outwards, and only what is really better replaces what was found.
        let middle = max(0, last) / 2
        var best = middle
        for place in scores.indices.sorted(by: { abs($0 - middle) < abs($1 - middle) })
        where scores[place] > scores[best] + 1e-9 {
            best = place
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

    /// In bits.
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
    /// The longer side of the picture that is searched.
    static let searchedSide = 128

    /// The same plan with its crop where a search in `picture` sees most.
    ///
    /// - Parameter picture: All of ``region``, made smaller.
    mutating func moveCrop(seenIn picture: Bitmap, cancellation: CancellationFlag? = nil) throws(DecodeError) {
        let (spareWidth, spareHeight) = (region.width - crop.width, region.height - crop.height)
        let search = try SmartWindow(picture, cancellation: cancellation)
        func shrunk(_ part: Int, _ whole: Int, _ side: Int) -> Int {
            min(side, max(1, (2 * part * side + whole) / (2 * whole)))
        }
        let columns = shrunk(crop.width, region.width, picture.width)
        let rows = shrunk(crop.height, region.height, picture.height)
        let left = try search.firstColumn(ofColumns: columns, cancellation: cancellation)
        let top = try search.firstRow(
            ofRows: rows, columns: left..<left + columns, cancellation: cancellation)
        // The first and the last place mean the edges, whatever rounding did to the small picture.
        crop.x = region.x + Self.place(left, of: picture.width - columns, in: spareWidth)
        crop.y = region.y + Self.place(top, of: picture.height - rows, in: spareHeight)
    }

    private static func place(_ index: Int, of last: Int, in spare: Int) -> Int {
        last > 0 ? (2 * spare * index + last) / (2 * last) : spare / 2
    }
}
#endif
