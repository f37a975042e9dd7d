#if Service
/// A symmetric kernel as a weighted sum of boxes: with a running sum for each box a pixel costs the same at any radius.
///
/// The weights of a Gaussian fall from the middle outwards; here they fall in steps. As few boxes are taken, up to
/// ``maxCount``, as keep a black and white edge within ``maxEdgeError`` of where the kernel itself puts it. A kernel that
/// needs more gets ``maxCount`` boxes and a larger error.
struct BoxSums: Hashable {
    /// A box counts all pixels at a distance of at most `radius`.
    struct Box: Hashable {
        let radius: Int
        let weight: Float
    }

    static let maxCount = 8
    /// As a share of the contrast of the edge. Errors of rows and columns add up, several edges lie below one kernel, and
    /// pixels that are half transparent double them: less than half a step of 255 here is at most two in the picture.
    static let maxEdgeError = 0.4 / 255

    /// From the smallest to the largest.
    let boxes: [Box]

    /// - Parameter weights: Of a pixel and of those at distance 1, 2, …, not rising; with both sides the sum is 1.
    init(_ weights: [Double]) {
        var tolerance = Self.maxEdgeError
        var boxes = Self.boxes(weights, within: tolerance)
        while boxes.count > Self.maxCount {
            tolerance *= 1.1
            boxes = Self.boxes(weights, within: tolerance)
        }
        self.boxes = boxes
    }

    /// The fewest boxes whose answer to an edge from 0 to 1 differs nowhere from the kernel's by more than `tolerance`.
    ///
    /// The difference at a distance is the sum of the steps less the weights from there outwards. Within a run of
    /// distances with one step it rises and falls again, since the weights grow inwards. Runs that begin and end at
    /// `-tolerance` have both signs to use, and are longer than those that begin and end at 0.
    private static func boxes(_ weights: [Double], within tolerance: Double) -> [Box] {
        var boxes: [Box] = []
        var (outer, error, above) = (weights.count - 1, 0.0, 0.0)
        while outer >= 0 {
            let run =
                innermost(weights, outer, error, tolerance) ?? longest(weights, outer, error, tolerance)
            if run.step > above { boxes.append(Box(radius: outer, weight: Float(run.step - above))) }
            above = run.step
            for weight in weights[run.inner...outer] { error += run.step - weight }
            outer = run.inner - 1
        }
        return boxes.reversed()
    }

    /// The run from `outer` to the middle, with the step that brings the sum of all weights to 1; nil where that is too
    /// far from the kernel. The middle is there once, every other distance twice.
    private static func innermost(
        _ weights: [Double], _ outer: Int, _ error: Double, _ tolerance: Double
    ) -> (step: Double, inner: Int)? {
        let sum = weights[...outer].reduce(0, +) - weights[0] / 2
        let step = (sum - error) / (Double(outer) + 0.5)
        let isWithin = highest(weights[...outer].dropFirst(), step, error) <= tolerance
        return isWithin ? (step, 0) : nil
    }

    /// The longest run from `outer` inwards that does not reach the middle, with the step that ends it at `-tolerance`;
    /// 0 for an end that weighs less than that.
    private static func longest(
        _ weights: [Double], _ outer: Int, _ error: Double, _ tolerance: Double
    ) -> (step: Double, inner: Int) {
        var sum = weights[outer]
        var run = (step: max(0, sum - tolerance - error), inner: outer)
        while run.inner > 1 {
            let inner = run.inner - 1
            sum += weights[inner]
            let step = max(0, (sum - tolerance - error) / Double(outer - inner + 1))
            guard highest(weights[inner...outer], step, error) <= tolerance else { break }
            run = (step, inner)
        }
        return run
    }

    /// The largest difference within a run that begins with the difference `error`.
    private static func highest(_ weights: ArraySlice<Double>, _ step: Double, _ error: Double) -> Double {
        var (error, most) = (error, -Double.infinity)
        for weight in weights.reversed() {
            error += step - weight
            most = max(most, error)
        }
        return most
    }
}
#endif
