// Encodes test images with many combinations of encoder options into a folder, and writes the source pixels of each
// file next to it. Scripts/verify/encoders compiles this program.

import Foundation
import PlatformImage

let folder = URL(filePath: CommandLine.arguments[1])

/// Test images: noise with alpha, a smooth gradient, gray, gray with alpha, few colours with alpha, a drawing.
func makeBitmap(_ kind: Int, _ width: Int, _ height: Int) -> Bitmap {
    var state = UInt64(kind * 7919 + width * 31 + height)
    return Bitmap(width: width, height: height) { pixels in
        for y in 0..<height {
            for x in 0..<width {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let noise = state >> 33
                let at = (y * width + x) * 4
                let smooth = [x * 3 + 20, y * 3 + 10, x + y].map { UInt64($0 & 255) }
                let ink = UInt64(x / 9 + y / 7 * 40)
                let samples: [UInt64] =
                    switch kind {
                    case 0: [noise, noise >> 8, noise >> 16, noise >> 5]
                    case 1: smooth + [255]
                    case 2: [noise, noise, noise, 255]
                    case 3: [noise, noise, noise, noise >> 9]
                    case 4: [noise % 5 * 40, noise % 5 * 10, 7, noise % 5 * 60]
                    default: [ink * 37, ink * 11, ink >> 3, 255]
                    }
                for channel in 0..<4 { pixels[at + channel] = UInt8(truncatingIfNeeded: samples[channel]) }
            }
        }
    }
}

func save(_ file: [UInt8], _ name: String, of bitmaps: [Bitmap]) throws {
    try Data(file).write(to: folder.appending(path: name))
    let raw = bitmaps.reduce(into: Data()) { $0.append(contentsOf: $1.copyBytes()) }
    try raw.write(to: folder.appending(path: "\(name).\(bitmaps[0].width)x\(bitmaps[0].height).rgba"))
}

for kind in 0..<6 {
    for (width, height) in [(1, 1), (7, 5), (31, 33), (200, 140)] {
        let bitmap = makeBitmap(kind, width, height)
        let name = "\(kind)-\(width)x\(height)"
        for filter in PNGFilter.allCases {
            for level in [0, 1, 6, 9] {
                var encoder = ImageEncoder()
                encoder.options.png.filter = filter
                encoder.options.png.compressionLevel = level
                try save(encoder.encode(bitmap, as: .png), "\(name)-\(filter)-\(level).png", of: [bitmap])
            }
        }
        for chroma in ChromaSubsampling.allCases {
            for (isProgressive, optimizes) in [(false, false), (false, true), (true, true)] {
                var encoder = ImageEncoder()
                encoder.options.jpeg.chromaSubsampling = chroma
                encoder.options.jpeg.isProgressive = isProgressive
                encoder.options.jpeg.optimizesHuffman = optimizes
                encoder.options.jpeg.quality = 95
                let suffix = "\(isProgressive ? "p" : optimizes ? "o" : "b")\(chroma)"
                try save(encoder.encode(bitmap, as: .jpeg), "\(name)-\(suffix).jpg", of: [bitmap])
            }
        }
        let frames = [bitmap, makeBitmap((kind + 1) % 6, width, height), bitmap, bitmap]
        let delays = [(1, 10), (0, 1), (250, 1000), (3, 100)]
        let animation = zip(frames, delays).map { bitmap, delay in
            AnimationFrame(bitmap, delay: FrameDelay(numerator: delay.0, denominator: delay.1))
        }
        try save(ImageEncoder().encodeAnimation(animation, loopCount: 2), "\(name).apng", of: frames)
    }
}
let large = makeBitmap(1, 1700, 900)
try save(ImageEncoder().encode(large, as: .png), "large.png", of: [large])
