import PlatformImage

@testable import PlatformImageBenchmarking

/// The chunks of a RIFF list of a WebP file, such as the body of the file or the data of an ANMF chunk.
func webPChunks(_ list: some Collection<UInt8>) -> [(type: String, data: [UInt8])] {
    let bytes = Array(list)
    var (chunks, at) = ([(type: String, data: [UInt8])](), 0)
    while at + 8 <= bytes.count {
        let size = number(bytes[at + 4..<at + 8])
        chunks.append((String(decoding: bytes[at..<at + 4], as: UTF8.self), Array(bytes[at + 8..<at + 8 + size])))
        at += 8 + size + size % 2
    }
    return chunks
}

/// A little-endian number.
private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

/// An animated WebP, parsed and composed by the WebP container specification without optimisations; libwebp decodes the
/// bitstreams.
struct WebPAnimation {
    struct Frame {
        let x, y: Int
        /// Milliseconds.
        let duration: Int
        let blends: Bool
        let disposes: Bool
        /// Types of the chunks: `VP8L`, or `VP8 ` with or without `ALPH`.
        let chunkTypes: [String]
        let bitmap: Bitmap
    }

    let width: Int
    let height: Int
    let loopCount: Int
    let frames: [Frame]

    /// Nil for a still image and when libwebp cannot decode a frame.
    init?(_ file: [UInt8]) {
        let chunks = webPChunks(file.dropFirst(12))
        guard let canvas = chunks.first(where: { $0.type == "VP8X" })?.data,
            let parameters = chunks.first(where: { $0.type == "ANIM" })?.data
        else { return nil }
        width = number(canvas[4..<7]) + 1
        height = number(canvas[7..<10]) + 1
        loopCount = number(parameters[4..<6])
        var frames: [Frame] = []
        for (type, data) in chunks where type == "ANMF" {
            let image = Array(data.dropFirst(16))
            guard let bitmap = Baseline(.webp).bitmap(of: image) else { return nil }
            guard bitmap.width == number(data[6..<9]) + 1, bitmap.height == number(data[9..<12]) + 1 else { return nil }
            frames.append(
                Frame(
                    x: number(data[0..<3]) * 2, y: number(data[3..<6]) * 2, duration: number(data[12..<15]),
                    blends: data[15] & 2 == 0, disposes: data[15] & 1 != 0,
                    chunkTypes: webPChunks(image).map(\.type), bitmap: bitmap))
        }
        self.frames = frames
    }

    /// The canvas after each frame, and its start in milliseconds.
    var composed: [(start: Int, bitmap: Bitmap)] {
        var canvas = [UInt8](repeating: 0, count: width * height * 4)
        var (result, start) = ([(start: Int, bitmap: Bitmap)](), 0)
        for frame in frames {
            draw(frame, on: &canvas)
            let pixels = canvas
            result.append(
                (
                    start,
                    Bitmap(width: width, height: height) { bytes in
                        for at in pixels.indices { bytes[at] = pixels[at] }
                    }
                ))
            start += frame.duration
            if frame.disposes {
                let area = Bitmap(width: frame.bitmap.width, height: frame.bitmap.height) { _ in }
                draw(
                    Frame(
                        x: frame.x, y: frame.y, duration: 0, blends: false, disposes: false, chunkTypes: [],
                        bitmap: area), on: &canvas)
            }
        }
        return result
    }

    /// Only blends pixels with alpha 0 or 255 exactly; others, which libwebpmux does not blend in lossless frames, are
    /// replaced.
    private func draw(_ frame: Frame, on canvas: inout [UInt8]) {
        let pixels = frame.bitmap.copyBytes()
        for y in 0..<frame.bitmap.height {
            for x in 0..<frame.bitmap.width {
                let (from, to) = ((y * frame.bitmap.width + x) * 4, ((frame.y + y) * width + frame.x + x) * 4)
                if frame.blends, pixels[from + 3] == 0 { continue }
                for channel in 0..<4 { canvas[to + channel] = pixels[from + channel] }
            }
        }
    }
}
