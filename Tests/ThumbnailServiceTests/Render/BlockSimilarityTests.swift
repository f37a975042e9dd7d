import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite struct BlockSimilarityTests {
    private static func random(_ width: Int, _ height: Int, seed: UInt64, isOpaque: Bool = true) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for index in 0..<width * height * 4 {
                pixels[index] = index % 4 == 3 && isOpaque ? 255 : UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    /// The definition in floating point: each window by its mean values, two passes.
    private static func model(_ first: Bitmap, _ second: Bitmap, over backdrop: Double) -> Double {
        func luma(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Double {
            let pixel = bitmap[x, y]
            let sum = 77 * Int(pixel.red) + 150 * Int(pixel.green) + 29 * Int(pixel.blue)
            let alpha = Double(pixel.alpha) / 255
            return (Double(sum / 256) * alpha + backdrop * (1 - alpha)).rounded()
        }
        func starts(_ length: Int) -> [Int] {
            let window = min(8, length)
            return (0...length - window).filter { $0 % 4 == 0 || $0 == length - window }
        }
        var values: [Double] = []
        for y in starts(first.height) {
            for x in starts(first.width) {
                let positions = (y..<min(y + 8, first.height)).flatMap { row in
                    (x..<min(x + 8, first.width)).map { ($0, row) }
                }
                let (a, b) = (positions.map { luma(first, $0, $1) }, positions.map { luma(second, $0, $1) })
                let count = Double(positions.count)
                let (meanA, meanB) = (a.reduce(0, +) / count, b.reduce(0, +) / count)
                let varianceA = a.map { ($0 - meanA) * ($0 - meanA) }.reduce(0, +) / count
                let varianceB = b.map { ($0 - meanB) * ($0 - meanB) }.reduce(0, +) / count
                let covariance = zip(a, b).map { ($0 - meanA) * ($1 - meanB) }.reduce(0, +) / count
                let (c1, c2) = (2.55 * 2.55, 7.65 * 7.65)
                values.append(
                    (2 * meanA * meanB + c1) * (2 * covariance + c2)
                        / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2)))
            }
        }
        return values.reduce(0, +) / Double(values.count)
    }

    @Test(arguments: [(1, 1), (3, 20), (8, 8), (9, 12), (16, 7), (21, 18)], [true, false])
    func similarityEqualsItsDefinition(_ size: (Int, Int), _ isOpaque: Bool) throws {
        let first = Self.random(size.0, size.1, seed: 1, isOpaque: isOpaque)
        let second = Self.random(size.0, size.1, seed: 2, isOpaque: isOpaque)

        let found = try #require(BlockSimilarity.mean(first, second))

        let black = Self.model(first, second, over: 0)
        let expected = isOpaque ? black : min(black, Self.model(first, second, over: 255))
        #expect(abs(found - expected) < 1e-9)
    }

    @Test func equalBitmapsHaveSimilarityOneAndSizesMustBeEqual() {
        let bitmap = Self.random(20, 10, seed: 3, isOpaque: false)

        #expect(abs((BlockSimilarity.mean(bitmap, bitmap) ?? 0) - 1) < 1e-12)
        #expect(BlockSimilarity.mean(bitmap, Self.random(10, 20, seed: 3)) == nil)
    }

    @Test func errorOfAlphaOverBlackPixelsLowersTheSimilarity() throws {
        let opaque = Bitmap(width: 16, height: 16) { pixels in for i in 0..<256 { pixels[4 * i + 3] = 255 } }
        let clear = Bitmap(width: 16, height: 16) { _ in }

        #expect(try #require(BlockSimilarity.mean(opaque, clear)) < 0.5)
    }
}
