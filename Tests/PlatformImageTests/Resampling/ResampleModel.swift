import Foundation
import PlatformImageTestSupport

@testable import PlatformImage

/// Textbook resampling in Double.
struct ResampleModel {
    let width: Int
    let height: Int
    /// Premultiplied colours and alpha, 0...255, not rounded; rows from the top.
    let samples: [Double]

    init(_ source: Bitmap, _ request: ResampleRequest) {
        let across = Self.weights(
            request.filter, request.sourceWidth, request.cropX, request.cropWidth, request.width)
        let down = Self.weights(
            request.filter, request.sourceHeight, request.cropY, request.cropHeight, request.height)
        let bytes = source.copyBytes()
        var narrow = [Double](repeating: 0, count: request.width * request.sourceHeight * 4)
        for y in 0..<request.sourceHeight {
            for (x, window) in across.enumerated() {
                for (column, weight) in window {
                    let at = (y * request.sourceWidth + column) * 4
                    let alpha = Double(bytes[at + 3]) / 255
                    for c in 0..<3 {
                        let value = Double(bytes[at + c]) / 255
                        narrow[(y * request.width + x) * 4 + c] +=
                            weight * alpha * (request.linearLight ? Self.light(value) : value)
                    }
                    narrow[(y * request.width + x) * 4 + 3] += weight * alpha
                }
            }
        }
        var result = [Double](repeating: 0, count: request.width * request.height * 4)
        for (y, window) in down.enumerated() {
            for (row, weight) in window {
                for i in 0..<request.width * 4 {
                    result[y * request.width * 4 + i] += weight * narrow[row * request.width * 4 + i]
                }
            }
        }
        for at in stride(from: 0, to: result.count, by: 4) {
            let alpha = result[at + 3]
            for c in 0..<3 {
                let color = alpha > 1e-9 ? min(1, max(0, result[at + c] / alpha)) : 0
                result[at + c] = (request.linearLight ? Self.value(color) : color) * min(1, max(0, alpha)) * 255
            }
            result[at + 3] = min(1, max(0, alpha)) * 255
        }
        (width, height, samples) = (request.width, request.height, result)
    }

    /// The largest differences of premultiplied colour and of alpha.
    func largestDifferences(to bitmap: Bitmap) -> (color: Double, alpha: Double) {
        var (color, alpha) = (0.0, 0.0)
        let bytes = bitmap.copyBytes()
        for at in stride(from: 0, to: samples.count, by: 4) {
            alpha = max(alpha, abs(Double(bytes[at + 3]) - samples[at + 3]))
            for c in 0..<3 {
                let product = Double(bytes[at + c]) * Double(bytes[at + 3]) / 255
                color = max(color, abs(product - samples[at + c]))
            }
        }
        return (color, alpha)
    }

    /// The source samples and weights of each output sample; the weights add up to 1.
    private static func weights(
        _ filter: ResampleFilter, _ source: Int, _ start: Double, _ length: Double, _ count: Int
    ) -> [[(Int, Double)]] {
        let step = length / Double(count)
        let stretch = max(1, step)
        return (0..<count).map { i in
            let center = start + (Double(i) + 0.5) * step
            let isKept = length == Double(count) && start == start.rounded()
            if filter == .nearest || isKept { return [(min(source - 1, Int(center)), 1)] }
            var window: [(Int, Double)] = []
            for j in 0..<source {
                let weight =
                    filter == .box
                    ? max(0, min(Double(j) + 1, center + step / 2) - max(Double(j), center - step / 2))
                    : kernel(filter, abs(Double(j) + 0.5 - center) / stretch)
                if weight != 0 { window.append((j, weight)) }
            }
            let sum = window.reduce(0) { $0 + $1.1 }
            return window.map { ($0.0, $0.1 / sum) }
        }
    }

    private static func kernel(_ filter: ResampleFilter, _ x: Double) -> Double {
        switch filter {
        case .bilinear: return max(0, 1 - x)
        case .mitchell:
            if x < 1 { return (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6 }
            return x < 2 ? (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6 : 0
        default:
            if x == 0 { return 1 }
            let a = Double.pi * x
            return x < 3 ? sin(a) / a * sin(a / 3) / (a / 3) : 0
        }
    }

    private static func light(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }
    private static func value(_ l: Double) -> Double { l <= 0.0031308 ? l * 12.92 : 1.055 * pow(l, 1 / 2.4) - 0.055 }
}

/// Images of random pixels.
enum RandomImage: CaseIterable {
    case opaque, translucent
    /// Opaque and translucent rows in random order.
    case mixedRows
    /// Alpha 0 or 255, random colours.
    case cutOut

    func bitmap(_ width: Int, _ height: Int, using random: inout SplitMix) -> Bitmap {
        Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                let isOpaqueRow = self == .opaque || self == .mixedRows && random.next() & 1 == 0
                for at in stride(from: y * width * 4, to: (y + 1) * width * 4, by: 4) {
                    let bits = random.next()
                    for c in 0..<4 { pixels[at + c] = UInt8(truncatingIfNeeded: bits >> (c * 8)) }
                    if isOpaqueRow { pixels[at + 3] = 255 }
                    if self == .cutOut { pixels[at + 3] = pixels[at + 3] & 1 == 0 ? 0 : 255 }
                }
            }
        }
    }
}
