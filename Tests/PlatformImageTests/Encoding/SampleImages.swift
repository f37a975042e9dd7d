import Foundation
import PlatformImage
import PlatformImageTestSupport

/// One image for each property that an encoder handles differently.
enum SampleImage: String, CaseIterable {
    case noise, opaqueNoise, grayNoise, grayAlphaNoise, blackAndWhite, fourGrays, sixteenGrays
    case oneColor, twoColors, sevenColors, manyColors, transparentColors, gradient

    func bitmap(_ width: Int, _ height: Int, seed: UInt64 = 1) -> Bitmap {
        var random = SplitMix(seed: seed &* 1009 &+ UInt64(width * 4099 + height))
        let palette = (0..<200).map { _ in random.next() }
        return Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let value = pixel(x, y, random.next(), palette)
                    let at = (y * width + x) * 4
                    for channel in 0..<4 { pixels[at + channel] = UInt8(truncatingIfNeeded: value >> (8 * channel)) }
                }
            }
        }
    }

    /// A small sample repeated in both directions, which is fast to generate. The width is a multiple of 100.
    func tiled(_ width: Int, _ height: Int) -> Bitmap {
        let tile = bitmap(100, 50).copyBytes()
        let row = (0..<50).map { y in
            (0..<width / 100).flatMap { _ in tile[y * 400..<y * 400 + 400] }
        }
        let bytes = (0..<height).flatMap { row[$0 % 50] }
        return Bitmap(width: width, height: height) { pixels in
            bytes.withUnsafeBytes { source in
                pixels.withUnsafeMutableBytes { $0.copyMemory(from: source) }
            }
        }
    }

    /// The RGBA8 pixel at this position as an integer, with R in the lowest byte.
    private func pixel(_ x: Int, _ y: Int, _ random: UInt64, _ palette: [UInt64]) -> UInt64 {
        let opaque: UInt64 = 0xFF00_0000
        func gray(_ value: UInt64) -> UInt64 { (value & 255) * 0x1_0101 | opaque }
        switch self {
        case .noise: return random
        case .opaqueNoise: return random | opaque
        case .grayNoise: return gray(random)
        case .grayAlphaNoise: return gray(random) & 0xFF_FFFF | random & opaque
        case .blackAndWhite: return gray(random % 2 * 255)
        case .fourGrays: return gray(random % 4 * 85)
        case .sixteenGrays: return gray(random % 16 * 17)
        case .oneColor: return palette[0] | opaque
        case .twoColors: return palette[Int(random % 2)] | opaque
        case .sevenColors: return palette[Int(random % 7)] | opaque
        case .manyColors: return palette[Int(random % 200)] | opaque
        case .transparentColors: return palette[Int(random % 12)]
        case .gradient: return UInt64(x * 5 & 255 | (y * 3 & 255) << 8 | (x + y & 255) << 16) | opaque
        }
    }

    /// A smooth colour image with some noise, like a photograph.
    static func photograph(_ width: Int, _ height: Int, seed: UInt64 = 1) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let at = (y * width + x) * 4
                    let noise = Int(random.next() % 9)
                    pixels[at] = UInt8(20 + x * 150 / width + noise)
                    pixels[at + 1] = UInt8(40 + y * 150 / height + noise)
                    pixels[at + 2] = UInt8(60 + (x + y) * 130 / (width + height) + noise)
                    pixels[at + 3] = 255
                }
            }
        }
    }
}

extension Bitmap {
    /// An image of one colour.
    static func filled(_ width: Int, _ height: Int, _ color: RGBA8) -> Bitmap {
        Bitmap(width: width, height: height) { pixels in
            for at in stride(from: 0, to: pixels.count, by: 4) {
                pixels[at] = color.red
                pixels[at + 1] = color.green
                pixels[at + 2] = color.blue
                pixels[at + 3] = color.alpha
            }
        }
    }

    /// Peak signal-to-noise ratio of the colour samples in dB; nil if they are equal.
    func psnr(to other: Bitmap) -> Double? {
        precondition(width == other.width && height == other.height)
        let (mine, theirs) = (copyBytes(), other.copyBytes())
        var sum = 0
        for at in mine.indices where at % 4 != 3 {
            let difference = Int(mine[at]) - Int(theirs[at])
            sum += difference * difference
        }
        guard sum > 0 else { return nil }
        return 10 * log10(65025 * Double(width * height * 3) / Double(sum))
    }
}

/// Decodes the output of an encoder; throws if the decoder reports a warning.
func decodeWithoutWarnings(_ file: [UInt8]) throws -> DecodedImage {
    var options = DecodeOptions()
    options.strictness = .warning
    return try ImageDecoder(options: options).decode(file)
}

/// The chunks of a PNG: type and data.
func chunks(of file: [UInt8]) -> [(type: String, data: [UInt8])] {
    var (chunks, at) = ([(type: String, data: [UInt8])](), 8)
    while at + 12 <= file.count {
        let size = file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
        chunks.append((String(decoding: file[at + 4..<at + 8], as: UTF8.self), Array(file[at + 8..<at + 8 + size])))
        at += 12 + size
    }
    return chunks
}

/// The markers of a JPEG and the payloads of their segments; skips entropy-coded data.
func markers(of file: [UInt8]) -> [(marker: UInt8, data: [UInt8])] {
    var (markers, at) = ([(marker: UInt8, data: [UInt8])](), 0)
    while at + 1 < file.count {
        guard file[at] == 0xFF, file[at + 1] != 0, file[at + 1] != 0xFF else {
            at += 1
            continue
        }
        let marker = file[at + 1]
        at += 2
        guard marker != 0xD8, marker != 0xD9 else {
            markers.append((marker, []))
            continue
        }
        let size = Int(file[at]) << 8 | Int(file[at + 1])
        markers.append((marker, Array(file[at + 2..<at + size])))
        at += size
    }
    return markers
}
