import Testing

@testable import PlatformImage

@Suite struct JPEGScaleTests {
    struct Row: CustomTestStringConvertible {
        let source, crop, result: (Int, Int)
        let denominator: Int
        var testDescription: String { "\(source): \(crop) to \(result)" }
    }

    @Test(arguments: [
        // The crop is the full image: its longer side is decoded to at least three times the longer side of the
        // result, or at full size.
        Row(source: (4000, 3000), crop: (4000, 3000), result: (256, 192), denominator: 4),
        Row(source: (3000, 4000), crop: (3000, 4000), result: (192, 256), denominator: 4),
        Row(source: (4243, 2828), crop: (4243, 2828), result: (256, 171), denominator: 4),
        Row(source: (6144, 4096), crop: (6144, 4096), result: (256, 171), denominator: 8),
        // 767.9 pixels are decoded as 768.
        Row(source: (6143, 4096), crop: (6143, 4096), result: (256, 171), denominator: 8),
        Row(source: (6136, 4096), crop: (6136, 4096), result: (256, 171), denominator: 4),
        Row(source: (1535, 1000), crop: (1535, 1000), result: (256, 167), denominator: 2),
        Row(source: (1534, 1000), crop: (1534, 1000), result: (256, 167), denominator: 1),
        Row(source: (800, 600), crop: (800, 600), result: (400, 300), denominator: 1),
        Row(source: (100, 100), crop: (100, 100), result: (400, 400), denominator: 1),
        Row(source: (1, 1), crop: (1, 1), result: (1, 1), denominator: 1),
        // A shorter side that was rounded up to 1 pixel is ignored.
        Row(source: (10_000, 8), crop: (10_000, 8), result: (256, 1), denominator: 4),
        // The denominator depends on the size of the crop, not on the size of the image.
        Row(source: (8000, 6000), crop: (1000, 750), result: (256, 192), denominator: 1),
        Row(source: (8000, 6000), crop: (2000, 1500), result: (256, 192), denominator: 2),
        Row(source: (4000, 3000), crop: (3000, 3000), result: (250, 250), denominator: 4),
        // The aspect ratio changes, so the denominator depends on both sides.
        Row(source: (4000, 1000), crop: (4000, 1000), result: (100, 100), denominator: 2),
        Row(source: (1000, 4000), crop: (1000, 4000), result: (100, 100), denominator: 2),
        Row(source: (4000, 1000), crop: (4000, 1000), result: (100, 300), denominator: 1),
    ])
    func scaleDenominatorHasTheExpectedValueForEachCropAndResultSize(_ row: Row) {
        var request = ResampleRequest(
            sourceWidth: row.source.0, sourceHeight: row.source.1, width: row.result.0, height: row.result.1,
            filter: .lanczos3)
        request.cropWidth = Double(row.crop.0)
        request.cropHeight = Double(row.crop.1)

        #expect(request.jpegScaleDenominator(for: .exact) == row.denominator)
    }

    /// The denominators of Pillow's draft mode for the same sizes.
    @Test(arguments: [
        ((2000, 1500), (250, 187), 8), ((2000, 1500), (250, 188), 4), ((4000, 3000), (500, 375), 8),
        ((4000, 3000), (501, 376), 4), ((800, 600), (100, 75), 8), ((800, 600), (330, 248), 2),
        ((10_000, 8), (256, 1), 8), ((3, 1_000), (1, 60), 2), ((7, 1_000), (1, 60), 4),
    ])
    func draftDenominatorIsThatOfPillow(_ source: (Int, Int), _ result: (Int, Int), _ denominator: Int) {
        let request = ResampleRequest(
            sourceWidth: source.0, sourceHeight: source.1, width: result.0, height: result.1, filter: .lanczos3)
        #expect(request.jpegScaleDenominator(for: .draft) == denominator)
    }

    /// With the next larger denominator, a side of the decoded image would be shorter than three times the side of the
    /// result; with the quality `draft`, shorter than the side of the result before it is rounded up.
    @Test(arguments: ThumbnailQuality.allCases)
    func scaleDenominatorIsTheLargestThatGivesEnoughPixels(_ quality: ThumbnailQuality) {
        for side in stride(from: 1, to: 5_000, by: 37) {
            for target in [1, 2, 7, 50, 160, 256, 1_000] {
                let request = ResampleRequest(
                    sourceWidth: side, sourceHeight: side, width: target, height: target, filter: .lanczos3)
                let found = request.jpegScaleDenominator(for: quality)
                let fitting = [1, 2, 4, 8].filter {
                    quality == .draft ? side >= target * $0 : (side + $0 - 1) / $0 >= 3 * target
                }
                #expect(found == fitting.max() ?? 1, "\(side) to \(target)")
            }
        }
    }
}
