internal import CPlatformImageBaselines
public import PlatformImage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Operations of `imagetool-bench pixels`: each with PlatformImage and with a straightforward loop in C.
public enum PixelOperation: String, CaseIterable, Sendable {
    /// The sum of all samples, with ``Bitmap/withRow(_:_:)``; the C loop reads a raw pointer.
    case sumOfRowBytes = "row-bytes"
    /// The sum of all samples, with ``Bitmap/forEachRow(_:)``.
    case sumOfRowPixels = "row-pixels"
    /// The sum of all samples, with ``Bitmap/withPixels(_:)``.
    case sumOfPixels = "pixels"
    /// Three quarters of width and height, from one eighth on.
    case crop
    /// Clockwise.
    case rotate90 = "rotate-90"
    case rotate180 = "rotate-180"
    case flipHorizontally = "flip-horizontally"
    case flipVertically = "flip-vertically"
    /// Source over, with a second bitmap of equal size.
    case composite
    case bgra, rgb, premultiplied, gray

    /// The result as bytes: pixels, or the sum as text.
    public func result(of bitmap: Bitmap, below above: Bitmap) throws(DecodeError) -> [UInt8] {
        switch try performed(on: bitmap, above) {
        case .bitmap(let result): result.copyBytes()
        case .bytes(let result): result
        case .sum(let sum): Array(String(sum).utf8)
        }
    }

    /// The first `byteCount` bytes of the result of the C loop, or its sum as text.
    func baselineResult(of bitmap: Bitmap, below above: Bitmap, byteCount: Int) -> [UInt8] {
        withPointers(bitmap, above) { pixels, above in
            let (width, height) = (bitmap.width, bitmap.height)
            guard let baselineOperation else { return Array(String(baseline_sum(pixels, width, height)).utf8) }
            let result = baseline_pixels(baselineOperation, pixels, above, width, height)
            defer { free(result) }
            return Array(UnsafeBufferPointer(start: result, count: byteCount))
        }
    }

    /// Measures `count` calls of PlatformImage, then `count` calls of the C loop.
    public func times(
        _ bitmap: Bitmap, below above: Bitmap, count: Int
    ) throws -> (ours: Elapsed, baseline: Elapsed) {
        let ours = try Elapsed.time {
            for _ in 0..<count { _ = try performed(on: bitmap, above) }
        }
        let (width, height) = (bitmap.width, bitmap.height)
        let baseline = withPointers(bitmap, above) { pixels, above in
            Elapsed.time {
                for _ in 0..<count {
                    if let baselineOperation {
                        free(baseline_pixels(baselineOperation, pixels, above, width, height))
                    } else {
                        _ = baseline_sum(pixels, width, height)
                    }
                }
            }
        }
        return (ours, baseline)
    }

    private func withPointers<R>(
        _ bitmap: Bitmap, _ above: Bitmap, _ body: (UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) -> R
    ) -> R {
        bitmap.withBytes { pixels in
            above.withBytes { above in
                pixels.withUnsafeBufferPointer { pixels in
                    above.withUnsafeBufferPointer { body(pixels.baseAddress, $0.baseAddress) }
                }
            }
        }
    }

    private enum Output {
        case bitmap(Bitmap)
        case bytes([UInt8])
        case sum(UInt64)
    }

    private func performed(on bitmap: Bitmap, _ above: Bitmap) throws(DecodeError) -> Output {
        switch self {
        case .sumOfRowBytes: return .sum(Self.sumOfRowBytes(bitmap))
        case .sumOfRowPixels: return .sum(Self.sumOfRowPixels(bitmap))
        case .sumOfPixels: return .sum(Self.sumOfPixels(bitmap))
        case .crop:
            let (width, height) = (bitmap.width, bitmap.height)
            return .bitmap(
                try bitmap.cropped(
                    to: PixelRectangle(
                        x: width / 8, y: height / 8, width: width / 4 * 3, height: height / 4 * 3)))
        case .rotate90: return .bitmap(try bitmap.rotated(by: .degrees90))
        case .rotate180: return .bitmap(try bitmap.rotated(by: .degrees180))
        case .flipHorizontally: return .bitmap(try bitmap.flippedHorizontally())
        case .flipVertically: return .bitmap(try bitmap.flippedVertically())
        case .composite: return .bitmap(try bitmap.composited(above, limits: .unlimited))
        case .bgra: return .bytes(try bitmap.bytes(layout: .bgra))
        case .rgb: return .bytes(try bitmap.bytes(layout: .rgb))
        case .premultiplied: return .bytes(try bitmap.bytes(layout: .rgbaPremultiplied))
        case .gray: return .bytes(try bitmap.bytes(layout: .gray))
        }
    }

    private var baselineOperation: baseline_operation? {
        switch self {
        case .sumOfRowBytes, .sumOfRowPixels, .sumOfPixels: nil
        case .crop: BASELINE_CROP
        case .rotate90: BASELINE_ROTATE_90
        case .rotate180: BASELINE_ROTATE_180
        case .flipHorizontally: BASELINE_FLIP_HORIZONTALLY
        case .flipVertically: BASELINE_FLIP_VERTICALLY
        case .composite: BASELINE_COMPOSITE
        case .bgra: BASELINE_TO_BGRA
        case .rgb: BASELINE_TO_RGB
        case .premultiplied: BASELINE_PREMULTIPLY
        case .gray: BASELINE_TO_GRAY
        }
    }
}

// The loops of a user of the library: they see only its public interface, from another module.
extension PixelOperation {
    private static func sumOfRowBytes(_ bitmap: Bitmap) -> UInt64 {
        var total: UInt64 = 0
        for y in 0..<bitmap.height {
            total += bitmap.withRow(y) { row in
                var sum: UInt64 = 0
                for index in row.indices { sum &+= UInt64(row[index]) }
                return sum
            }
        }
        return total
    }

    private static func sumOfRowPixels(_ bitmap: Bitmap) -> UInt64 {
        var total: UInt64 = 0
        bitmap.forEachRow { _, pixels in total += sum(pixels) }
        return total
    }

    private static func sumOfPixels(_ bitmap: Bitmap) -> UInt64 { bitmap.withPixels { sum($0) } }

    private static func sum(_ pixels: Span<RGBA8>) -> UInt64 {
        var sum: UInt64 = 0
        for index in pixels.indices {
            let pixel = pixels[index]
            sum &+= UInt64(pixel.red) &+ UInt64(pixel.green) &+ UInt64(pixel.blue) &+ UInt64(pixel.alpha)
        }
        return sum
    }
}
