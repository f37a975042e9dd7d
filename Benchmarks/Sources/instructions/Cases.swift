import Foundation
import PlatformImage

/// Operations whose instructions `Scripts/bench/instructions` counts. Their setup is not counted.
enum Cases {
    typealias Work = () throws -> Void

    /// - Parameter folder: The directory `Fixtures`; its files are in the repository, so counts are comparable.
    static func all(_ folder: URL) -> [(name: String, make: () throws -> Work)] {
        func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }
        func decode(_ name: String, times: Int = 1) throws -> Work {
            let (file, decoder) = (try bytes(name), ImageDecoder(options: .asStored))
            return { for _ in 0..<times { _ = try decoder.decode(file) } }
        }
        func thumbnail(_ name: String, side: Int = 128) throws -> Work {
            let (file, decoder) = (try bytes(name), ImageDecoder())
            return { _ = try decoder.thumbnail(of: file, options: ThumbnailOptions(width: side, height: side)) }
        }
        func encode(_ format: EncodedFormat) throws -> Work {
            let bitmap = try ImageDecoder().decode(bytes("demo/mountains.jpg")).bitmap
            return { _ = try ImageEncoder().encode(bitmap, as: format) }
        }
        return [
            ("png-rgb", { try decode("demo/window.png") }),
            ("png-chart", { try decode("demo/chart.png") }),
            ("png-icon-x100", { try decode("png/rgba8.png", times: 100) }),
            ("jpeg-baseline", { try decode("demo/mountains.jpg") }),
            ("jpeg-progressive", { try decode("demo/aurora-progressive.jpg") }),
            ("gif-animation", { try frames(bytes("demo/orbit.gif")) }),
            ("webp-lossy", { try decode("demo/valley.webp") }),
            ("webp-lossless-x10", { try decode("damage/webp-lossless.webp", times: 10) }),
            ("webp-animation", { try frames(bytes("demo/comet.webp")) }),
            ("tiff-16-bit", { try decode("demo/dunes-16-bit.tif") }),
            ("tiff-g4", { try decode("demo/letter-g4.tif") }),
            ("bmp-24", { bitmap(width: 512, height: 384) }),
            ("bmp-rle4", { try decode("demo/invader-rle4.bmp") }),
            ("thumbnail-jpeg", { try thumbnail("demo/mountains.jpg") }),
            // Small enough for JPEG decoding at 1/4 scale.
            ("thumbnail-jpeg-quarter", { try thumbnail("demo/mountains.jpg", side: 48) }),
            ("thumbnail-webp", { try thumbnail("demo/valley.webp") }),
            ("thumbnail-png", { try thumbnail("demo/window.png") }),
            ("resize", { try resize(bytes("demo/mountains.jpg")) }),
            ("encode-png", { try encode(.png) }),
            ("encode-jpeg", { try encode(.jpeg) }),
            ("memory-cache-hit-x10000", { memoryCacheHits() }),
        ]
    }

    private static func frames(_ file: [UInt8]) -> Work {
        let decoder = ImageDecoder()
        return {
            let frames = try decoder.frames(of: file)
            while try frames.advance() != nil {}
        }
    }

    private static func resize(_ file: [UInt8]) throws -> Work {
        let bitmap = try ImageDecoder().decode(file).bitmap
        return { _ = try bitmap.resized(width: 300, height: 200) }
    }

    /// Decodes a generated 24-bit BMP: no such fixture is large enough to show the cost per row.
    private static func bitmap(width: Int, height: Int) -> Work {
        func le32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let size = width * height * 3
        let fileHeader: [UInt8] = [0x42, 0x4D] + le32(54 + size) + le32(0) + le32(54)
        let info = le32(40) + le32(width) + le32(height) + [1, 0, 24, 0] + le32(0) + le32(size) + le32(0) + le32(0)
        let file = fileHeader + info + le32(0) + le32(0) + (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let decoder = ImageDecoder(options: .asStored)
        return { _ = try decoder.decode(file) }
    }

    private static func memoryCacheHits() -> Work {
        let cache = MemoryCache<Int, [UInt8]>(maxBytes: 1 << 30)
        for key in 0..<1000 { cache.insert([UInt8](repeating: 0, count: 8), for: key, cost: 8) }
        return { for index in 0..<10_000 { _ = cache.value(for: index % 1000) } }
    }
}
