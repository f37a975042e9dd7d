import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct ResampleKernelTests {
    /// The widths cover every remainder after the pixel blocks of the vector kernels.
    @Test(arguments: [RandomImage.opaque, .mixedRows])
    func portableKernelsGiveTheBytesOfTheVectorKernelsAtWidthsFrom1To64(_ image: RandomImage) throws {
        var random = SplitMix(seed: 1)
        for width in 1...64 {
            let source = image.bitmap(width, 5, using: &random)
            for (newWidth, filter) in [(65 - width, ResampleFilter.lanczos3), (1 + width / 3, .box)] {
                let request = ResampleRequest(
                    sourceWidth: width, sourceHeight: 5, width: newWidth, height: 3, filter: filter)
                try expectSameBytes(source, request)
            }
        }
    }

    @Test(arguments: RandomImage.allCases, [false, true])
    func portableKernelsGiveTheBytesOfTheVectorKernelsAtRandomSizes(_ image: RandomImage, _ linearLight: Bool) throws {
        var random = SplitMix(seed: 2)
        for filter in ResampleFilter.allCases {
            let sides = (0..<4).map { _ in Int.random(in: 1...300, using: &random) }
            let source = image.bitmap(sides[0], sides[1], using: &random)
            var request = ResampleRequest(
                sourceWidth: sides[0], sourceHeight: sides[1], width: sides[2], height: sides[3], filter: filter)
            request.linearLight = linearLight
            try expectSameBytes(source, request)
        }
    }

    /// The sums reach their largest positive and negative values.
    @Test(arguments: ResampleFilter.allCases)
    func extremeFilterSumsAreClampedAndMatchTheModel(_ filter: ResampleFilter) throws {
        for (period, alpha) in [(1, 255), (2, 255), (3, 255), (1, 0), (2, 0), (3, 0)] {
            let source = Bitmap(width: 48, height: 48) { pixels in
                for y in 0..<48 {
                    for x in 0..<48 {
                        let isWhite = (x / period + y / period) % 2 == 0
                        let at = (y * 48 + x) * 4
                        for c in 0..<3 { pixels[at + c] = isWhite ? 255 : 0 }
                        pixels[at + 3] = isWhite ? 255 : UInt8(alpha)
                    }
                }
            }
            for side in [5, 31, 47, 49, 96] {
                let request = ResampleRequest(
                    sourceWidth: 48, sourceHeight: 48, width: side, height: side, filter: filter)
                try expectSameBytes(source, request)
                let (color, _) = ResampleModel(source, request).largestDifferences(
                    to: try source.resized(by: request, flag: nil))
                #expect(color <= (alpha == 255 ? 0.6 : 1), "\(request)")
            }
        }
    }

    private func expectSameBytes(_ source: Bitmap, _ request: ResampleRequest) throws {
        let fast = try source.resized(by: request, flag: nil)
        let portable = try source.resized(by: request, flag: nil, isPortable: true)
        #expect(fast.copyBytes() == portable.copyBytes(), "\(request)")
    }
}
