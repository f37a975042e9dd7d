import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageToolSupport

/// Thumbnails of the demonstration's images, encoded as WebP and in other formats, and read back from WebP.
struct DemoThumbnails {
    /// Rows of the table.
    enum Kind: String, CaseIterable {
        case opaque, transparent, animated
    }

    /// Columns of the table.
    enum Encoding: String, CaseIterable {
        case webP = "WebP"
        case losslessWebP = "lossless WebP"
        case png = "PNG"
        case jpeg = "JPEG"
        case gif = "GIF"

        var format: EncodedFormat {
            switch self {
            case .webP, .losslessWebP: .webp
            case .png: .png
            case .jpeg: .jpeg
            case .gif: .gif
            }
        }

        /// JPEG has neither transparency nor frames. GIF is compared with animations only.
        func applies(to kind: Kind) -> Bool {
            switch self {
            case .webP, .losslessWebP, .png: true
            case .jpeg: kind == .opaque
            case .gif: kind == .animated
            }
        }
    }

    private struct Totals {
        var images = 0
        var frames = 0
        var bytes: [Encoding: Int] = [:]
        /// Sum of the differences of all images between lossy WebP and thumbnail.
        var difference = 0.0
    }

    /// Maximum width and height of a thumbnail in pixels.
    static let side = 240

    private var totals: [Kind: Totals] = [:]
    /// Deviations of the decoded files from the thumbnails, one sentence each; empty when there are none.
    private(set) var deviations: [String] = []

    /// Creates a folder for the files; an existing folder is used.
    ///
    /// - Throws: ``Failure`` with `ioError`.
    static func createFolder(_ path: String) throws(Failure) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Failure(.ioError, "io: cannot create the folder")
        }
    }

    /// Encodes and decodes the thumbnail of an image, with all frames of an animation. Returns the lossy WebP.
    mutating func add(_ image: DemoImages.Image) throws -> [UInt8] {
        let frames = try Self.thumbnail(of: image.resource.body)
        let isOpaque = try frames.allSatisfy { try $0.bitmap.isOpaque(cancellation: nil) }
        let kind: Kind = frames.count > 1 ? .animated : isOpaque ? .opaque : .transparent
        var sum = totals[kind] ?? Totals()
        sum.images += 1
        sum.frames += frames.count
        var webP: [UInt8] = []
        for encoding in Encoding.allCases where encoding.applies(to: kind) {
            let file = try Self.encode(frames, as: encoding)
            sum.bytes[encoding, default: 0] += file.count
            guard encoding.format == .webp else { continue }
            let comparison = try Self.compare(file, with: frames)
            if !comparison.isComplete {
                deviations.append("\(image.path): size or duration of the \(encoding.rawValue) differ")
            }
            if encoding == .webP {
                webP = file
                sum.difference += comparison.difference
            } else if comparison.difference > 0 {
                deviations.append("\(image.path): pixels of the \(encoding.rawValue) differ")
            }
        }
        totals[kind] = sum
        return webP
    }

    /// A table of file sizes in bytes, and the mean difference of lossy WebP.
    var text: String {
        var table = Table(
            [("thumbnails", .left), ("images", .right), ("frames", .right)]
                + Encoding.allCases.map { ($0.rawValue, .right) } + [("difference of WebP", .right)])
        for kind in Kind.allCases {
            guard let row = totals[kind] else { continue }
            let sizes = Encoding.allCases.map { row.bytes[$0].map(String.init) ?? "-" }
            let difference = fixed(row.difference / Double(row.images), digits: 2)
            table.append([kind.rawValue, String(row.images), String(row.frames)] + sizes + [difference])
        }
        return table.text
    }

    private static func thumbnail(of bytes: [UInt8]) throws -> [AnimationFrame] {
        let decoder = ImageDecoder()
        let options = ThumbnailOptions(width: side, height: side, fit: .scaleDown)
        let header = try decoder.header(of: bytes)
        guard header.format.isAnimatable, header.frameCount ?? 1 > 1 else {
            let bitmap = try decoder.thumbnail(of: bytes, options: options).bitmap
            return [AnimationFrame(bitmap, delay: FrameDelay(numerator: 0, denominator: 1))]
        }
        let frames = try decoder.frames(of: bytes)
        var small: [AnimationFrame] = []
        while let frame = try frames.next() {
            let bitmap = try frame.bitmap.thumbnail(options: options)
            small.append(AnimationFrame(bitmap, delay: frame.info.delay, index: small.count))
        }
        return small
    }

    private static func encode(_ frames: [AnimationFrame], as encoding: Encoding) throws -> [UInt8] {
        var encoder = ImageEncoder()
        encoder.options.webp.isLossless = encoding == .losslessWebP
        return try convertingEncodeError { () throws(EncodeError) in
            guard frames.count > 1 else { return try encoder.encode(frames[0].bitmap, as: encoding.format) }
            return try encoder.encodeAnimation(frames, as: encoding.format)
        }
    }

    /// Decodes a WebP and compares it with its source. Equal consecutive frames may be stored as one.
    ///
    /// - Returns: False in `isComplete` when the size, the number of images or the total duration differs, and the
    ///   largest mean difference of a frame.
    static func compare(
        _ file: [UInt8], with frames: [AnimationFrame]
    ) throws -> (isComplete: Bool, difference: Double) {
        let decoder = ImageDecoder()
        guard try decoder.header(of: file).frameCount ?? 1 > 1 else {
            let bitmap = try decoder.decode(file).bitmap
            return (bitmap.hasSameSize(as: frames[0].bitmap), bitmap.difference(from: frames[0].bitmap))
        }
        let decoded = try decoder.frames(of: file)
        var current = try decoded.next()
        // Milliseconds at which the current frame and its source end.
        var (end, sourceEnd) = (current?.info.delay.milliseconds ?? 0, 0.0)
        var difference = 0.0
        for frame in frames {
            // The start time of a frame is rounded to milliseconds.
            if sourceEnd > end - 1, let next = try decoded.next() {
                current = next
                end += next.info.delay.milliseconds
            }
            sourceEnd += frame.info.delay.milliseconds
            guard let current, current.bitmap.hasSameSize(as: frame.bitmap) else { return (false, difference) }
            difference = max(difference, current.bitmap.difference(from: frame.bitmap))
        }
        return (abs(end - sourceEnd) <= 1, difference)
    }
}

extension FrameDelay {
    fileprivate var milliseconds: Double { 1_000 * Double(numerator) / Double(denominator) }
}

extension Bitmap {
    fileprivate func hasSameSize(as other: Bitmap) -> Bool { width == other.width && height == other.height }

    /// Mean absolute difference of the samples, 0 to 255, with colours multiplied by alpha; 255 for other sizes.
    fileprivate func difference(from other: Bitmap) -> Double {
        guard hasSameSize(as: other) else { return 255 }
        var sum = 0
        for y in 0..<height {
            for x in 0..<width {
                let (one, two) = (self[x, y], other[x, y])
                let (oneAlpha, twoAlpha) = (Int(one.alpha), Int(two.alpha))
                for (a, b) in [(one.red, two.red), (one.green, two.green), (one.blue, two.blue)] {
                    sum += abs(Int(a) * oneAlpha - Int(b) * twoAlpha)
                }
                sum += 255 * abs(oneAlpha - twoAlpha)
            }
        }
        return Double(sum) / Double(255 * 4 * width * height)
    }
}
