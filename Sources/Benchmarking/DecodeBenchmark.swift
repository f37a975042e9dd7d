import CPlatformImageBaselines
public import PlatformImage

/// Decodes a file in memory repeatedly, alternating with the baseline of its format.
public struct DecodeBenchmark {
    /// Nanoseconds per pixel, one value per measured round.
    public struct Times: Sendable {
        public private(set) var cpu: [Double] = []
        public private(set) var wall: [Double] = []

        mutating func append(_ elapsed: Elapsed, pixels: Double) {
            cpu.append(elapsed.cpu / pixels)
            wall.append(elapsed.wall / pixels)
        }
    }

    /// Comparison of the ratio with its target.
    public enum Verdict: String, Sendable {
        case met = "MET"
        case missed = "MISSED"
        /// The baseline yields other pixels, so the times are not comparable.
        case pixelsDiffer = "PIXELS DIFFER"
    }

    /// Display name of the file.
    public let name: String
    public let header: ImageHeader
    public let goal: DecodeGoal
    /// Frames per decode: all frames of a GIF or of an animated WebP, otherwise 1.
    public private(set) var frames = 1
    public private(set) var ours = Times()
    /// Times of the baseline; `nil` when the baseline was not requested or cannot decode the file.
    public private(set) var baseline: Times?
    /// False when the baseline yields other pixels; `nil` without a baseline.
    public private(set) var pixelsAgree: Bool?

    private let bytes: [UInt8]
    private let decoder: ImageDecoder
    private let library: Baseline
    /// True for a GIF, also a still one, and for an animated WebP.
    private let isAnimation: Bool

    /// Options of ``init(_:name:rounds:hasBaseline:)``: pixels as stored, no limits on the number of frames and their
    /// total pixels.
    public static var options: DecodeOptions {
        var options = DecodeOptions.asStored
        options.limits.maxFrames = nil
        options.limits.maxTotalPixels = nil
        return options
    }

    /// Measures `rounds` rounds after one warm-up round. On Linux the calling thread is pinned to one core.
    public init(_ bytes: [UInt8], name: String, rounds: Int, hasBaseline: Bool) throws {
        self.name = name
        self.bytes = bytes
        decoder = ImageDecoder(options: Self.options)
        header = try decoder.header(of: bytes)
        isAnimation = header.format == .gif || header.format == .webp && header.frameCount ?? 2 > 1
        let infos = isAnimation ? try decoder.frameInfos(of: bytes) : []
        goal = DecodeGoal(header, of: bytes, frames: infos)
        library = Baseline(header.format, isAnimation: isAnimation)

        bench_pin_thread()
        let image = try decodeOnce()
        if hasBaseline, let other = library.bitmap(of: bytes) {
            pixelsAgree = image.clearingTransparentPixels().copyBytes() == other.clearingTransparentPixels().copyBytes()
            baseline = Times()
        }
        // In each round, this library decodes for about 8 ms or more (at most 10,000 times) and the baseline decodes
        // equally often, so that clock resolution and single interrupts do not matter.
        let repeats = Int(min(10_000, max(1, (8e6 / max(1, try timeOurs(1).cpu)).rounded(.up))))
        for round in 0...rounds { try measure(repeats, baselineGoesFirst: round.isMultiple(of: 2), counts: round > 0) }
    }

    private mutating func measure(_ repeats: Int, baselineGoesFirst: Bool, counts: Bool) throws {
        let before = baseline != nil && baselineGoesFirst ? timeBaseline(repeats) : nil
        let elapsed = try timeOurs(repeats)
        let after = baseline != nil && !baselineGoesFirst ? timeBaseline(repeats) : nil
        guard counts else { return }
        let pixels = Double(header.width * header.height * frames * repeats)
        ours.append(elapsed, pixels: pixels)
        if let other = before ?? after { baseline?.append(other, pixels: pixels) }
    }

    /// CPU and wall time of `repeats` decodes by this library.
    public func timeOurs(_ repeats: Int) throws -> Elapsed {
        try Elapsed.time { for _ in 0..<repeats { try decodeAll() } }
    }

    /// CPU and wall time of `repeats` decodes by the baseline.
    public func timeBaseline(_ repeats: Int) -> Elapsed {
        Elapsed.time { for _ in 0..<repeats { _ = library.decode(bytes) } }
    }

    /// CPU time of the baseline divided by that of this library, one value per round; above 1 when this library is
    /// faster.
    public var ratios: [Double] {
        baseline.map { baseline in zip(baseline.cpu, ours.cpu).map { $0 / max($1, .leastNonzeroMagnitude) } } ?? []
    }

    /// Median of ``ratios``.
    public var ratio: Double? { median(ratios) }

    /// ``Verdict/pixelsDiffer`` when the baseline yields other pixels. Otherwise the comparison of ``ratio`` with its
    /// target; `nil` without a target or without a baseline.
    public var verdict: Verdict? {
        if pixelsAgree == false { return .pixelsDiffer }
        guard let ratio, let target = goal.targetRatio else { return nil }
        return ratio >= target * (1 - DecodeGoal.slack) ? .met : .missed
    }

    /// Decodes the default image, or composes every frame of an animation on one canvas.
    private func decodeAll() throws {
        if isAnimation {
            let frames = try decoder.frames(of: bytes)
            while try frames.advance() != nil {}
        } else {
            _ = try decoder.decode(bytes)
        }
    }

    /// Decodes like ``decodeAll()``, counts the frames, and returns the last frame.
    private mutating func decodeOnce() throws -> Bitmap {
        guard isAnimation else { return try decoder.decode(bytes).bitmap }
        let animation = try decoder.frames(of: bytes)
        var last: Bitmap?
        var count = 0
        while try animation.advance() != nil {
            count += 1
            if count == header.frameCount { last = try animation.composed() }
        }
        frames = max(1, count)
        return try last ?? animation.composed()
    }
}
