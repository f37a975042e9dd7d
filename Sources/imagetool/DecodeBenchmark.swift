import PlatformImage

/// Decodes a file in memory again and again, in turn with its twin.
struct DecodeBenchmark {
    /// Nanoseconds a pixel, one for each round that counts.
    struct Times {
        private(set) var cpu: [Double] = []
        private(set) var wall: [Double] = []

        mutating func append(_ elapsed: Elapsed, pixels: Double) {
            cpu.append(elapsed.cpu / pixels)
            wall.append(elapsed.wall / pixels)
        }
    }

    let path: String
    let header: ImageHeader
    /// Frames decoded a round: all of a GIF, else 1.
    private(set) var frames = 1
    private(set) var ours = Times()
    /// Nil when the twin was not asked for or cannot decode the file.
    private(set) var twin: Times?
    /// False when the twin shows other pixels; nil without a twin.
    private(set) var pixelsAgree: Bool?

    private let bytes: [UInt8]
    private let decoder: ImageDecoder
    private let foreign: Twin

    /// Reads the file and measures `iterations` rounds after one that does not count.
    init(_ path: String, iterations: Int, hasTwin: Bool) throws {
        var options = DecodeOptions.asStored
        options.limits.maxFrames = nil
        options.limits.maxTotalPixels = nil
        self.path = path
        decoder = ImageDecoder(options: options)
        bytes = try readInput(path, limit: options.limits.maxInputBytes)
        header = try decoder.header(of: bytes)
        foreign = Twin(header.format)

        let picture = try decodeOnce()
        if hasTwin, let other = foreign.bitmap(of: bytes) {
            pixelsAgree = picture.clearedUnderAlpha().copyBytes() == other.clearedUnderAlpha().copyBytes()
            twin = Times()
        }
        // In a round each side decodes as often as makes 2 ms, so that the clock's steps do not show.
        let repeats = Int(min(10_000, max(1, (2e6 / max(1, try timeOurs(1).cpu)).rounded(.up))))
        for round in 0...iterations { try measure(repeats, twinGoesFirst: round.isMultiple(of: 2), counts: round > 0) }
    }

    private mutating func measure(_ repeats: Int, twinGoesFirst: Bool, counts: Bool) throws {
        let before = twin != nil && twinGoesFirst ? timeTwin(repeats) : nil
        let own = try timeOurs(repeats)
        let after = twin != nil && !twinGoesFirst ? timeTwin(repeats) : nil
        guard counts else { return }
        let pixels = Double(header.width * header.height * frames * repeats)
        ours.append(own, pixels: pixels)
        if let other = before ?? after { twin?.append(other, pixels: pixels) }
    }

    private func timeOurs(_ repeats: Int) throws -> Elapsed {
        try Elapsed.time { for _ in 0..<repeats { try decodeAll() } }
    }

    private func timeTwin(_ repeats: Int) -> Elapsed {
        Elapsed.time { for _ in 0..<repeats { _ = foreign.decode(bytes) } }
    }

    /// The median over the rounds of twin CPU / our CPU: over 1 we are faster.
    var ratio: Double? {
        twin.flatMap { twin in median(zip(twin.cpu, ours.cpu).map { $0 / max($1, .leastNonzeroMagnitude) }) }
    }

    /// What is measured: the still, or every frame of a GIF composed on one canvas.
    private func decodeAll() throws {
        if header.format == .gif {
            let frames = try decoder.frames(of: bytes)
            while try frames.advance() != nil {}
        } else {
            _ = try decoder.decode(bytes)
        }
    }

    /// As ``decodeAll()``, but counts the frames and keeps the last.
    private mutating func decodeOnce() throws -> Bitmap {
        guard header.format == .gif else { return try decoder.decode(bytes).bitmap }
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

/// Nil for no values.
func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
