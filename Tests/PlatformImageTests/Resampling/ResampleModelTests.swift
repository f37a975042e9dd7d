import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct ResampleModelTests {
    @Test(arguments: ResampleFilter.allCases, RandomImage.allCases)
    func everyFilterAgreesWithTheFloatingPointModel(_ filter: ResampleFilter, _ image: RandomImage) throws {
        var random = SplitMix(seed: 6)
        for _ in 0..<10 {
            let sides = (0..<4).map { _ in Int.random(in: 1...36, using: &random) }
            let source = image.bitmap(sides[0], sides[1], using: &random)
            var request = ResampleRequest(
                sourceWidth: sides[0], sourceHeight: sides[1], width: sides[2], height: sides[3], filter: filter)
            if Bool.random(using: &random) { request.crop(using: &random) }

            try expect(source, request, isOpaque: image == .opaque)
        }
    }

    @Test(arguments: ResampleFilter.allCases, RandomImage.allCases)
    func linearLightAgreesWithTheFloatingPointModel(_ filter: ResampleFilter, _ image: RandomImage) throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<5 {
            let sides = (0..<4).map { _ in Int.random(in: 1...30, using: &random) }
            let source = image.bitmap(sides[0], sides[1], using: &random)
            var request = ResampleRequest(
                sourceWidth: sides[0], sourceHeight: sides[1], width: sides[2], height: sides[3], filter: filter)
            request.linearLight = true

            try expect(source, request, isOpaque: false)
        }
    }

    /// Compares the result with the model. The tolerance is higher with alpha or linear light, because the resampler
    /// then rounds intermediate values too.
    private func expect(_ source: Bitmap, _ request: ResampleRequest, isOpaque: Bool) throws {
        let result = try source.resized(by: request, flag: nil)

        let (color, alpha) = ResampleModel(source, request).largestDifferences(to: result)
        #expect(color <= (isOpaque ? 0.6 : 1), "\(request)")
        #expect(alpha <= (isOpaque ? 1e-9 : 0.6), "\(request)")
    }

    @Test func resizedFixturesMatchTheResultsOfThePythonModel() throws {
        let cases = try ResizedFixture.all()
        #expect(cases.count >= 20)
        for (path, resized) in cases {
            let source = try ImageDecoder(options: .asStored).decode(Fixture.file(path)).bitmap
            var request = ResampleRequest(
                sourceWidth: source.width, sourceHeight: source.height, width: resized.width, height: resized.height,
                filter: try #require(ResampleFilter(rawValue: resized.filter)))
            if let crop = resized.crop {
                (request.cropX, request.cropY, request.cropWidth, request.cropHeight) = (
                    crop[0], crop[1], crop[2], crop[3]
                )
            }
            request.linearLight = resized.weighsLight

            let result = try source.resized(by: request, flag: nil)

            let difference = try resized.largestDifference(to: result)
            #expect(difference <= resized.maxDifference, "\(path) \(resized)")
        }
    }
}

extension ResampleRequest {
    fileprivate mutating func crop(using random: inout SplitMix) {
        let (width, height) = (Double(sourceWidth), Double(sourceHeight))
        cropX = Double.random(in: 0...(width - 0.5), using: &random)
        cropY = Double.random(in: 0...(height - 0.5), using: &random)
        cropWidth = Double.random(in: 0.1...(width - cropX), using: &random)
        cropHeight = Double.random(in: 0.1...(height - cropY), using: &random)
    }
}
