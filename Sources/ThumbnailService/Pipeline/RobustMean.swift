#if Service
/// The mean of the last 32 samples, each counted as at most 20 times their median: a few outliers change it little, and
/// what becomes slower for good is learned after 16 samples.
struct RobustMean: Sendable {
    static let sampleCount = 32
    static let outlierFactor = 20.0

    /// The mean; that of the usual value before there are samples.
    private(set) var value: Double
    private var samples: [Double]
    private var next = 0

    /// - Parameter usual: Stands for the samples that there are not yet.
    init(usual: Double) {
        value = usual
        samples = [Double](repeating: usual, count: Self.sampleCount)
    }

    /// Takes a sample, 0 or more, in place of the oldest.
    mutating func count(_ sample: Double) {
        samples[next] = max(0, sample)
        next = (next + 1) % Self.sampleCount
        let sorted = samples.sorted()
        let most = Self.outlierFactor * (sorted[Self.sampleCount / 2 - 1] + sorted[Self.sampleCount / 2]) / 2
        value = samples.reduce(0) { $0 + min($1, most) } / Double(Self.sampleCount)
    }
}
#endif
