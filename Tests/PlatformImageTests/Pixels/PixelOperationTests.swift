import Testing

@testable import PlatformImage
@testable import PlatformImageBenchmarking

/// The operations that `imagetool-bench pixels` measures, against loops in C.
@Suite struct PixelOperationTests {
    @Test(arguments: PixelOperation.allCases, [(8, 8), (67, 40), (131, 9)])
    func measuredOperationHasTheResultOfTheLoop(_ operation: PixelOperation, _ size: (width: Int, height: Int)) throws {
        let bitmap = PixelLayoutTests.bitmap(size.width, size.height, seed: 3)
        let above = PixelLayoutTests.bitmap(size.width, size.height, seed: 4)

        let result = try operation.result(of: bitmap, below: above)

        #expect(result == operation.baselineResult(of: bitmap, below: above, byteCount: result.count))
    }
}
