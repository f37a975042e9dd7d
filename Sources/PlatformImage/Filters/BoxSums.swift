/// Approximation of a symmetric kernel by a weighted sum of box filters. With one running sum per box, the cost per
/// pixel does not depend on the radius.
///
/// The weights of a Gaussian decrease with the distance; those of the approximation decrease in steps. The
/// approximation has the fewest boxes with which its step response differs by at most ``maxEdgeError`` from that of the
/// kernel. If more than ``maxCount`` boxes were necessary for that, a larger error is accepted.
package struct BoxSums: Hashable, Sendable {
    /// A box filter over all pixels at a distance of at most `radius`.
    package struct Box: Hashable, Sendable {
        package let radius: Int
        package let weight: Float
    }

    package static let maxCount = 8
    /// Maximum error of the step response, as a fraction of the contrast of an edge: 0.4 of an 8-bit step. The errors
    /// of rows, columns and several edges under one kernel add up, and half-transparent pixels double them. The error
    /// in the image is thus at most two 8-bit steps.
    static let maxEdgeError = 0.4 / 255

    /// The boxes in order of increasing radius.
    package let boxes: [Box]

    /// Approximates a kernel.
    ///
    /// - Parameter weights: Weights at distance 0, 1, …, not increasing. The weights of the centre and of both sides
    ///   add up to 1.
    init(_ weights: [Double]) {
        var tolerance = Self.maxEdgeError
        var boxes = Self.boxes(weights, within: tolerance)
        while boxes.count > Self.maxCount {
            tolerance *= 1.1
            boxes = Self.boxes(weights, within: tolerance)
        }
        self.boxes = boxes
    }

    /// Returns the fewest boxes whose step response differs from the kernel's by at most `tolerance` everywhere.
    ///
    /// A step is the weight of the approximation at a distance; a run is a range of distances with equal steps. The
    /// error at a distance is a difference of two sums from that distance outwards: the steps minus the kernel weights.
    /// From the outer end of a run inwards, the error rises and then falls, since the kernel weights increase inwards.
    /// Runs that begin and end at an error of `-tolerance` use both signs of the error, and are longer than runs that
    /// begin and end at an error of 0.
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

    /// Returns the run from `outer` to the centre with the step that makes all weights add up to 1; nil when the error
    /// exceeds `tolerance`. The centre counts once, every other distance twice.
    private static func innermost(
        _ weights: [Double], _ outer: Int, _ error: Double, _ tolerance: Double
    ) -> (step: Double, inner: Int)? {
        let sum = weights[...outer].reduce(0, +) - weights[0] / 2
        let step = (sum - error) / (Double(outer) + 0.5)
        let isWithin = highest(weights[...outer].dropFirst(), step, error) <= tolerance
        return isWithin ? (step, 0) : nil
    }

    /// Returns the longest run from `outer` inwards that does not reach the centre, with the step that ends it at an
    /// error of `-tolerance`, or with the step 0 if that step would be negative.
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

    /// The largest error within a run whose initial error is `error`.
    private static func highest(_ weights: ArraySlice<Double>, _ step: Double, _ error: Double) -> Double {
        var (error, maxError) = (error, -Double.infinity)
        for weight in weights.reversed() {
            error += step - weight
            maxError = max(maxError, error)
        }
        return maxError
    }
}
