import Foundation
import PlatformImage

/// Procedurally drawn landscape, deterministic for its number.
struct DemoServiceScene: Sendable {
    static let width = 1_200
    static let height = 900

    let number: Int
    private let palette: Palette
    private let ridges: [Ridge]
    private let sun: (x: Int, y: Int, radius: Int)

    /// - Parameter number: Seed of the landscape, 0 or more.
    init(number: Int) {
        self.number = number
        var random = SeededRandom(seed: UInt64(truncatingIfNeeded: number) &+ 1)
        let palette = Palette.all[number % Palette.all.count].varied(by: &random)
        self.palette = palette
        let count = 3 + number / Palette.all.count % 4
        ridges = (0..<count).map { Ridge(index: $0, of: count, palette, &random) }
        let radius = 34 + Int(random.next(below: 40))
        sun = (
            x: 150 + Int(random.next(below: UInt64(Self.width - 300))),
            y: 110 + Int(random.next(below: 260)), radius: radius
        )
    }

    /// Display name.
    var name: String { "Landscape \(number), \(palette.name)" }

    /// The landscape as a JPEG file.
    func file() throws -> [UInt8] {
        var options = EncodeOptions()
        options.jpeg.quality = 88
        // Optimized Huffman tables need a second pass over the coefficients, which costs more time here than the
        // smaller file saves.
        options.jpeg.optimizesHuffman = false
        return try ImageEncoder(options: options).encode(bitmap(), as: .jpeg)
    }

    /// Draws the rows from the top, in runs of one colour: sky, sun, then the ridges from far to near.
    func bitmap() -> Bitmap {
        Bitmap(width: Self.width, height: Self.height) { pixels in
            pixels.withUnsafeMutableBytes { bytes in
                let all = bytes.bindMemory(to: RGBA8.self)
                for y in 0..<Self.height {
                    let row = UnsafeMutableBufferPointer(rebasing: all[(y * Self.width)..<((y + 1) * Self.width)])
                    draw(y, in: row)
                }
            }
        }
    }

    private func draw(_ y: Int, in row: UnsafeMutableBufferPointer<RGBA8>) {
        row.update(repeating: palette.sky(at: Double(y) / Double(Self.height)))
        let rest = sun.radius * sun.radius - (y - sun.y) * (y - sun.y)
        if rest > 0 {
            let half = Int(Double(rest).squareRoot())
            row[(sun.x - half)..<(sun.x + half)].update(repeating: palette.sun)
        }
        for ridge in ridges {
            let color = ridge.color(at: y)
            for run in ridge.runs[y] { row[run].update(repeating: color) }
        }
    }
}

/// One ridge line and the area below it.
private struct Ridge: Sendable {
    /// Column ranges inside the ridge, per row.
    let runs: [[Range<Int>]]
    private let top: Int
    private let base: RGBA8
    private let mist: RGBA8

    /// - Parameter index: Index from 0 for the farthest ridge to `count - 1` for the nearest.
    init(index: Int, of count: Int, _ palette: Palette, _ random: inout SeededRandom) {
        let depth = Double(index + 1) / Double(count)
        let middle = 300 + 480 * depth * depth * 0.5 + 300 * depth * 0.5
        let roughness = 150 - 70 * depth
        let waves = (0..<6).map { octave in
            (
                length: 2.2 * Double(1 << octave) * (0.8 + 0.4 * random.nextUnit()), phase: 6.3 * random.nextUnit(),
                height: roughness / Double(1 << octave)
            )
        }
        var tops = (0..<DemoServiceScene.width).map { x in
            let across = Double(x) / Double(DemoServiceScene.width)
            let rise = waves.reduce(0.0) { sum, wave in
                sum + wave.height * (1 - 2 * abs(sin(wave.length * across + wave.phase)))
            }
            return min(DemoServiceScene.height - 20, max(40, Int(middle - 0.6 * rise)))
        }
        if index == count - 1, palette.hasTrees { Self.plant(&tops, &random) }
        runs = Self.runs(below: tops)
        top = Int(middle)
        base = palette.far.mixed(with: palette.near, depth)
        mist = base.mixed(with: palette.bottom, 0.45 * (1 - depth))
    }

    func color(at y: Int) -> RGBA8 { base.mixed(with: mist, Double(max(0, y - top)) / 260) }

    /// Adds fir trees of different heights along the ridge line.
    private static func plant(_ tops: inout [Int], _ random: inout SeededRandom) {
        let ground = tops
        for _ in 0..<70 {
            let (foot, height) = (Int(random.next(below: UInt64(tops.count))), 30 + Int(random.next(below: 70)))
            let half = height / 4
            for x in max(0, foot - half)..<min(tops.count, foot + half) {
                // Stepped branches: the tree widens downwards and narrows slightly below each step.
                let across = Double(abs(x - foot)) / Double(half)
                let rise = Double(height) * (1 - across) - Double(abs(x - foot) % 4) * 1.5
                tops[x] = min(tops[x], max(20, ground[foot] - Int(rise)))
            }
        }
    }

    /// Column ranges below the ridge line, per row: a range starts where the line rises above the row and ends where
    /// the line falls below the row.
    private static func runs(below tops: [Int]) -> [[Range<Int>]] {
        let height = DemoServiceScene.height
        var starts = [[Int]](repeating: [], count: height)
        var runs = [[Range<Int>]](repeating: [], count: height)
        var before = height
        for (x, top) in (tops + [height]).enumerated() {
            for y in min(top, before)..<max(top, before) {
                if top < before { starts[y].append(x) } else if let start = starts[y].last { runs[y].append(start..<x) }
            }
            before = top
        }
        return runs
    }
}

/// Colours of a landscape; `hasTrees` adds trees to the nearest ridge.
private struct Palette: Sendable {
    var name: String
    var top: RGBA8
    var bottom: RGBA8
    var sun: RGBA8
    var far: RGBA8
    var near: RGBA8
    var hasTrees = false

    static let all = [
        Palette("dawn", 0x5B7BB4, 0xF9CFA8, 0xFFF4D6, 0xB98FA5, 0x2F2A4A),
        Palette("noon", 0x4D9BE0, 0xDFF0FB, 0xFFFDF0, 0x9CC3D6, 0x1F4D43, hasTrees: true),
        Palette("dusk", 0x2B2A5C, 0xF08A5D, 0xFFD99A, 0x9A5A7C, 0x1C1633),
        Palette("moonlight", 0x0A1028, 0x2C3E66, 0xEEF2FF, 0x35486F, 0x070B18, hasTrees: true),
        Palette("desert", 0x7FB7D9, 0xFBE6C3, 0xFFFBEA, 0xE3B27C, 0x8A3F24),
        Palette("mist", 0xBCD7D9, 0xF3F5E7, 0xFFFFFF, 0x94B8A0, 0x143325, hasTrees: true),
        Palette("ice", 0x1B4965, 0xA9DDD6, 0xF6FFFC, 0x7FB0B8, 0x12303F),
        Palette("rose", 0xDE93B4, 0xFFF0E6, 0xFFFFFF, 0xC48AA8, 0x40213F),
    ]

    init(_ name: String, _ top: Int, _ bottom: Int, _ sun: Int, _ far: Int, _ near: Int, hasTrees: Bool = false) {
        self.name = name
        self.top = RGBA8(hex: top)
        self.bottom = RGBA8(hex: bottom)
        self.sun = RGBA8(hex: sun)
        self.far = RGBA8(hex: far)
        self.near = RGBA8(hex: near)
        self.hasTrees = hasTrees
    }

    /// Returns this palette with its sky and ridge colours shifted by one random offset per channel.
    func varied(by random: inout SeededRandom) -> Palette {
        var palette = self
        let shift = (0..<3).map { _ in Int(random.next(below: 37)) - 18 }
        for part in [\Palette.top, \.bottom, \.far, \.near] {
            palette[keyPath: part] = self[keyPath: part].shifted(shift)
        }
        return palette
    }

    /// - Parameter part: Vertical position, 0 at the top, 1 at the bottom.
    func sky(at part: Double) -> RGBA8 { top.mixed(with: bottom, part * 1.6) }
}

extension RGBA8 {
    fileprivate init(hex: Int) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex))
    }

    /// - Parameter part: Weight of the other colour, clamped to 0...1.
    fileprivate func mixed(with other: RGBA8, _ part: Double) -> RGBA8 {
        let part = min(1, max(0, part))
        func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(Double(a) + (Double(b) - Double(a)) * part) }
        return RGBA8(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }

    fileprivate func shifted(_ by: [Int]) -> RGBA8 {
        RGBA8(
            red: UInt8(clamping: Int(red) + by[0]), green: UInt8(clamping: Int(green) + by[1]),
            blue: UInt8(clamping: Int(blue) + by[2]))
    }
}

/// Deterministic pseudo-random number generator (SplitMix64).
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    mutating func next(below limit: UInt64) -> UInt64 { next() % limit }

    /// Uniform random number in 0..<1.
    mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
