#if Service
import PlatformImage

/// The loops over samples as numbers that filters with weights spend their time in.
enum RowSums {
    /// `sums[i] += weight * row[start + i]` for all sums.
    static func add(_ row: [Float], from start: Int, times weight: Float, to sums: inout [Float]) {
        add(row, from: start, times: weight, to: &sums, at: 0, count: sums.count)
    }

    /// `sums[place + i] += weight * row[start + i]` for `count` sums.
    static func add(
        _ row: [Float], from start: Int, times weight: Float, to sums: inout [Float], at place: Int, count: Int
    ) {
        precondition(min(start, place) >= 0 && start <= row.count - count && place <= sums.count - count)
        row.withUnsafeBufferPointer { row in
            sums.withUnsafeMutableBufferPointer { sums in
                // Both ranges were checked above; without checks inside, the compiler adds several at once.
                guard let source = row.baseAddress, let target = sums.baseAddress else { return }
                for index in 0..<count { target[place &+ index] += weight * source[start &+ index] }
            }
        }
    }

    /// Half of each sample from `start` on, and a quarter of each of two others; they begin at `before` and `after`.
    static func smooth(
        _ source: [Float], at start: Int, before: Int, after: Int, count: Int, into target: inout [Float]
    ) {
        precondition(min(start, before, after) >= 0 && max(start, before, after) <= source.count - count)
        precondition(start <= target.count - count)
        source.withUnsafeBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                // All ranges were checked above.
                guard let source = source.baseAddress, let target = target.baseAddress else { return }
                for index in 0..<count {
                    let others = source[before &+ index] + source[after &+ index]
                    target[start &+ index] = 0.5 * source[start &+ index] + 0.25 * others
                }
            }
        }
    }
}

/// Some neighbouring rows of a picture, each computed once, for filters that go down it.
struct RowWindow {
    private var rows: [[Float]]
    /// The rows there are are those below this number.
    private var next = 0

    /// A window of `count` rows; none is there yet.
    init(count: Int) {
        rows = Array(repeating: [], count: count)
    }

    /// Row `y`, which lies in the window.
    subscript(y: Int) -> [Float] { rows[y % rows.count] }

    /// Makes the rows up to and with `last`, and forgets as many of the first.
    mutating func advance(
        through last: Int, _ make: (_ y: Int, _ row: inout [Float]) throws(DecodeError) -> Void
    ) throws(DecodeError) {
        while next <= last {
            try make(next, &rows[next % rows.count])
            next += 1
        }
    }
}
#endif
