#if Service
/// A symmetric kernel as a weighted sum of boxes: with a running sum for each box a pixel costs the same at any radius.
///
/// The weights of a Gaussian fall from the middle outwards; here they fall in steps. As few boxes are taken, 3 to
/// ``maxCount``, as keep a black and white edge within ``maxEdgeError`` of where the kernel itself puts it.
struct BoxSums: Hashable {
    /// A box counts all pixels at a distance of at most `radius`.
    struct Box: Hashable {
        let radius: Int
        let weight: Float
    }

    static let minCount = 3
    static let maxCount = 8
    /// As a share of the contrast of the edge: one step of 255.
    static let maxEdgeError = 1.0 / 255

    /// From the smallest to the largest.
    let boxes: [Box]

    /// - Parameter weights: Of a pixel and of those at distance 1, 2, …, not rising; with both sides the sum is 1.
    init(_ weights: [Double]) {
        var count = Self.minCount
        var steps = Self.steps(weights, count: count)
        while count < Self.maxCount, Self.edgeError(steps, weights) > Self.maxEdgeError {
            count += 1
            steps = Self.steps(weights, count: count)
        }
        var boxes: [Box] = []
        for distance in steps.indices {
            let next = distance + 1 < steps.count ? steps[distance + 1] : 0
            if steps[distance] != next {
                boxes.append(Box(radius: distance, weight: Float(steps[distance] - next)))
            }
        }
        self.boxes = boxes
    }

    /// The weights as means over `count` runs of distances. In the middle of a run an edge is off by its slope times the
    /// square of its length, so runs of equal sums of the square root of the slope are off by the same.
    private static func steps(_ weights: [Double], count: Int) -> [Double] {
        var sums = [0.0]
        for (nearer, farther) in zip(weights, weights.dropFirst()) {
            sums.append(sums[sums.count - 1] + max(0, nearer - farther).squareRoot())
        }
        let total = sums[sums.count - 1]
        let runs = sums.map { total > 0 ? min(count - 1, Int($0 / total * Double(count))) : 0 }
        var steps = weights
        var begin = 0
        while begin < runs.count {
            let end = runs[begin...].firstIndex { $0 != runs[begin] } ?? runs.count
            // The middle is there once, every other distance twice.
            let share = (begin..<end).reduce(0.0) { $0 + ($1 == 0 ? 0.5 : 1) }
            let sum = (begin..<end).reduce(0.0) { $0 + weights[$1] * ($1 == 0 ? 0.5 : 1) }
            for distance in begin..<end { steps[distance] = sum / share }
            begin = end
        }
        return steps
    }

    /// The largest difference of the two kernels' answers to an edge from 0 to 1.
    private static func edgeError(_ steps: [Double], _ weights: [Double]) -> Double {
        var (sum, most) = (0.0, 0.0)
        for distance in weights.indices.dropFirst().reversed() {
            sum += steps[distance] - weights[distance]
            most = max(most, abs(sum))
        }
        return most
    }
}
#endif
