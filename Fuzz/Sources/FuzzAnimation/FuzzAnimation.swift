// libFuzzer target for the times of animations: the input selects runs of frames with extreme delays, which are encoded
// as PNG, WebP and GIF, decoded, and encoded again in every format. SwiftPM renames the function `main` of an
// executable, so this file calls `LLVMFuzzerRunDriver` explicitly.

import PlatformImage

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Numerators and denominators of delays: limits of the formats, their neighbours, and fractions that are not exact.
let numerators = [0, 1, 3, 5, 7, 9, 15, 33, 65_534, 65_535, 65_536, 16_777_215, .max >> 31, .max]
let denominators = [1, 3, 7, 60, 100, 600, 1_000, 2_000, 65_535, 1_000_000, .max]
let formats = [EncodedFormat.png, .webp, .gif]
/// Frames that differ, so that encoders do not merge all of them.
let bitmaps = (0..<3).map { kind in
    Bitmap(width: 2, height: 1) { pixels in
        for at in 0..<pixels.count { pixels[at] = at % 4 == 3 ? 255 : UInt8(kind * 100) }
    }
}

/// Runs of frames: 2 bytes for the number of frames and the delay.
func frames(_ bytes: some Sequence<UInt8>) -> [AnimationFrame] {
    var frames: [AnimationFrame] = []
    var bytes = bytes.makeIterator()
    while let count = bytes.next(), let kind = bytes.next(), frames.count < 40 {
        let delay = FrameDelay(
            numerator: numerators[Int(kind) % numerators.count],
            denominator: denominators[Int(kind) / numerators.count % denominators.count])
        // Half of the runs have one frame, the others up to 32; the pixels of neighbours differ in most of them.
        for index in 0..<(count < 128 ? 1 : 1 + Int(count % 32)) {
            frames.append(AnimationFrame(bitmaps[(frames.count + (count & 64 == 0 ? 0 : -index)) % 3], delay: delay))
        }
    }
    return frames
}

func seconds(_ delays: some Sequence<FrameDelay>, most: Double) -> Double {
    delays.reduce(0) { $0 + min(Double($1.numerator) / Double($1.denominator), most) }
}

/// The units of a file's time in one second, and its longest delay in seconds; nil for fractions.
func times(_ format: EncodedFormat) -> (unitsPerSecond: Double, most: Double)? {
    switch format {
    case .gif: (100, 655.35)
    case .webp: (1_000, 16_777.215)
    default: nil
    }
}

/// The first byte selects the format and the one to which the file is converted.
func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    let source = frames(bytes.dropFirst())
    guard let first = bytes.first, !source.isEmpty else { return 0 }
    let (format, target) = (formats[Int(first % 3)], formats[Int(first / 3 % 3)])
    do {
        let file = try ImageEncoder().encodeAnimation(source, as: format)
        let decoded = try ImageDecoder().thumbnails(ofFramesIn: file, options: ThumbnailOptions(width: 2)).frames
        if let (unitsPerSecond, most) = times(format), decoded.count > 1 {
            // Encoders may merge equal frames, but the duration of the animation remains.
            let stored = seconds(decoded.map(\.info.delay), most: .infinity)
            let exact = seconds(source.map(\.info.delay), most: most)
            precondition(abs(stored - exact) * unitsPerSecond < 1 + exact * 1e-9, "\(format): \(stored), \(exact)")
        }
        if first >= 128 { _ = try ImageEncoder().encodeAnimation(decoded, as: target) }
    } catch {
        preconditionFailure("\(error)")
    }
    return 0
}

@main struct FuzzAnimation {
    static func main() {
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
