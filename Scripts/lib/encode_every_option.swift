// Encodes test images with many combinations of encoder options into a folder, and writes the source pixels of each
// file next to it. The further arguments are images that are encoded as WebP. Scripts/verify/encoders compiles this
// program.

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

/// The names end with the options of cwebp for equal bytes, separated by commas.
func saveWebP(_ bitmap: Bitmap, _ name: String) throws {
    func add(_ options: String, _ change: (inout WebPOptions) -> Void) throws {
        var encoder = ImageEncoder()
        change(&encoder.options.webp)
        try save(encoder.encode(bitmap, as: .webp), "\(name)-still,\(options).webp", of: [bitmap])
    }
    for (effort, method) in [(WebPEffort.fast, 2), (.default, 4), (.small, 6)] {
        for quality in [1, 80, 100] {
            try add("-m,\(method),-q,\(quality)") {
                $0.effort = effort
                $0.quality = quality
            }
        }
    }
    try add("-q,80,-sharp_yuv") { $0.usesSharpYUV = true }
    try add("-q,80,-alpha_q,40") { $0.alphaQuality = 40 }
    try add("-q,80,-exact") { $0.preservesTransparentColors = true }
    for level in 0...9 {
        try add("-z,\(level)") {
            $0.isLossless = true
            $0.losslessLevel = level
        }
    }
    try add("-z,6,-exact") {
        $0.isLossless = true
        $0.preservesTransparentColors = true
    }
    try add("-z,6,-near_lossless,40") {
        $0.isLossless = true
        $0.nearLossless = 40
    }
}

/// The names contain the maximum number of colours.
func saveGIF(_ bitmap: Bitmap, frames: [AnimationFrame], _ name: String) throws {
    for dither in GIFDither.allCases {
        for colors in [2, 16, 256] {
            var encoder = ImageEncoder()
            encoder.options.gif.dither = dither
            encoder.options.gif.maxColors = colors
            try save(encoder.encode(bitmap, as: .gif), "\(name)-\(dither)-\(colors)-still.gif", of: [bitmap])
            for palette in GIFPalette.allCases {
                encoder.options.gif.palette = palette
                let file = try encoder.encodeAnimation(frames, as: .gif, loopCount: 2)
                try save(file, "\(name)-\(dither)-\(palette)-\(colors)-frames.gif", of: frames.map(\.bitmap))
            }
        }
    }
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
        try saveWebP(bitmap, name)
        try saveGIF(bitmap, frames: animation, name)
        for isExact in [false, true] {
            var encoder = ImageEncoder()
            encoder.options.webp.isLossless = true
            encoder.options.webp.preservesTransparentColors = isExact
            let file = try encoder.encodeAnimation(animation, as: .webp, loopCount: 2)
            try save(file, "\(name)-\(isExact ? "exact" : "visible")-frames.webp", of: frames)
        }
    }
}
// The other arguments are images: an animation becomes a lossless and a lossy WebP, another image a lossy WebP.
for path in CommandLine.arguments.dropFirst(2) {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    guard path.hasSuffix(".gif") else {
        let bitmap = try ImageDecoder().decode(bytes).bitmap
        try save(ImageEncoder().encode(bitmap, as: .webp), "\(name)-still,-q,80.webp", of: [bitmap])
        continue
    }
    let source = try ImageDecoder().frames(of: bytes)
    var frames: [AnimationFrame] = []
    while let frame = try source.next() { frames.append(frame) }
    for isLossless in [true, false] {
        var encoder = ImageEncoder()
        encoder.options.webp.isLossless = isLossless
        let file = try encoder.encodeAnimation(frames, as: .webp, loopCount: source.header.loopCount ?? 1)
        try Data(file).write(to: folder.appending(path: "\(name)-\(isLossless ? "lossless" : "lossy").gif.webp"))
    }
}
let large = makeBitmap(1, 1700, 900)
try save(ImageEncoder().encode(large, as: .png), "large.png", of: [large])
