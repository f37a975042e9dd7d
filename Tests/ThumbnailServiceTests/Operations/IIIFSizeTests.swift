import PlatformImage
import Testing

@testable import PlatformImageService

/// The render plan of an IIIF request for a source of given size.
@Suite struct IIIFSizeTests {
    /// Region, size and rotation of a request for a source of 1000 x 800 pixels, and the expected crop, result size and
    /// canonical form.
    @Test(arguments: [
        ("full/max/0", (0, 0, 1000, 800), (1000, 800), "full/max/0"),
        ("square/max/0", (100, 0, 800, 800), (800, 800), "100,0,800,800/max/0"),
        ("10,20,30,40/max/0", (10, 20, 30, 40), (30, 40), "10,20,30,40/max/0"),
        ("0,0,1000,800/max/0", (0, 0, 1000, 800), (1000, 800), "full/max/0"),
        ("900,700,300,300/max/0", (900, 700, 100, 100), (100, 100), "900,700,100,100/max/0"),
        ("0,0,999999999,999999999/max/0", (0, 0, 1000, 800), (1000, 800), "full/max/0"),
        ("pct:10,10,50,50/max/0", (100, 80, 500, 400), (500, 400), "100,80,500,400/max/0"),
        ("pct:0.05,0.0625,50,50/max/0", (1, 1, 500, 400), (500, 400), "1,1,500,400/max/0"),
        ("pct:90,90,50,50/max/0", (900, 720, 100, 80), (100, 80), "900,720,100,80/max/0"),
        ("full/500,/0", (0, 0, 1000, 800), (500, 400), "full/500,400/0"),
        ("full/,400/0", (0, 0, 1000, 800), (500, 400), "full/500,400/0"),
        ("full/333,/0", (0, 0, 1000, 800), (333, 266), "full/333,266/0"),
        ("full/1,/0", (0, 0, 1000, 800), (1, 1), "full/1,1/0"),
        ("full/500,100/0", (0, 0, 1000, 800), (500, 100), "full/500,100/0"),
        ("full/1000,800/0", (0, 0, 1000, 800), (1000, 800), "full/max/0"),
        ("full/pct:50/0", (0, 0, 1000, 800), (500, 400), "full/500,400/0"),
        ("full/pct:100/0", (0, 0, 1000, 800), (1000, 800), "full/max/0"),
        ("full/pct:0.05/0", (0, 0, 1000, 800), (1, 1), "full/1,1/0"),
        ("full/!500,500/0", (0, 0, 1000, 800), (500, 400), "full/500,400/0"),
        ("full/!5000,400/0", (0, 0, 1000, 800), (500, 400), "full/500,400/0"),
        ("full/!1000,5000/0", (0, 0, 1000, 800), (1000, 800), "full/max/0"),
        ("full/^1500,/0", (0, 0, 1000, 800), (1500, 1200), "full/^1500,1200/0"),
        ("full/^,1600/0", (0, 0, 1000, 800), (2000, 1600), "full/^2000,1600/0"),
        ("full/^1500,100/0", (0, 0, 1000, 800), (1500, 100), "full/^1500,100/0"),
        ("full/^pct:200/0", (0, 0, 1000, 800), (2000, 1600), "full/^2000,1600/0"),
        ("full/^!2000,3000/0", (0, 0, 1000, 800), (2000, 1600), "full/^2000,1600/0"),
        ("full/^500,/0", (0, 0, 1000, 800), (500, 400), "full/500,400/0"),
        ("full/^max/0", (0, 0, 1000, 800), (7905, 6324), "full/^7905,6324/0"),
        ("full/500,/90", (0, 0, 1000, 800), (400, 500), "full/500,400/90"),
        ("full/500,/!270", (0, 0, 1000, 800), (400, 500), "full/500,400/!270"),
        ("full/max/!0", (0, 0, 1000, 800), (1000, 800), "full/max/!0"),
        ("10,20,300,400/150,/180.0", (10, 20, 300, 400), (150, 200), "10,20,300,400/150,200/180"),
    ])
    func iiifRequestHasTheExpectedCropResultSizeAndCanonicalForm(
        _ parts: String, _ crop: (Int, Int, Int, Int), _ result: (Int, Int), _ canonical: String
    ) throws {
        let request = try request("\(parts)/default.jpg")
        let plan = try plan(request, 1000, 800)

        #expect(plan.crop == PixelRectangle(x: crop.0, y: crop.1, width: crop.2, height: crop.3))
        #expect((plan.resultWidth, plan.resultHeight) == result)
        #expect(request.canonicalIIIF(plan) == "\(canonical)/default.jpg")
    }

    @Test func canonicalFormIsParsedToARequestWithTheRenderPlanOfTheOriginalRequest() throws {
        for parts in ["pct:10,10,50,50/,99/!90/gray.png", "square/^pct:150/0/color.jpg", "1,2,3,4/!2,9/0/bitonal.png"] {
            let first = try request(parts)
            let plan = try plan(first, 1000, 800)
            let text = try #require(first.canonicalIIIF(plan))
            let second = try request(text)
            var again = try self.plan(second, 1000, 800)
            #expect(second.canonicalIIIF(again) == text)
            // The canonical form contains `default` instead of the quality `color`, so the outputs may differ.
            again.output = plan.output
            #expect(again == plan)
        }
    }

    /// Requests that must be rejected according to the IIIF Image API or its validator.
    @Test(arguments: [
        "full/1001,/0", "full/,801/0", "full/1000,801/0", "full/1001,800/0", "full/!1001,801/0", "full/!2000,3000/0",
        "1000,0,10,10/max/0", "0,800,10,10/max/0", "5000,5000,10,10/max/0", "pct:100,0,10,10/max/0",
        "pct:0,100,10,10/max/0", "pct:0,0,0.01,10/max/0", "10,10,30,40/31,/0", "square/801,/0",
    ])
    func regionOutsideTheImageOrImplicitUpscalingIsRejected(_ parts: String) throws {
        let request = try request("\(parts)/default.jpg")

        let result = Result { () throws(ServiceError) in try plan(request, 1000, 800) }

        #expect(result.refusal == .malformed)
    }

    @Test func iiifSizeOverTheSideOrPixelLimitIsRejectedWith400() throws {
        for parts in [
            "full/^8193,/0", "full/^,8193/0", "full/^8000,8000/0", "full/^pct:100000/0", "full/^!9000,9000/0",
        ] {
            let request = try request("\(parts)/default.jpg")
            let result = Result { () throws(ServiceError) in try plan(request, 1000, 800) }
            guard case .failure(let error) = result else {
                Issue.record("\(parts) is accepted")
                continue
            }
            #expect((error.reason, error.status) == (.limit, 400))
        }
    }

    @Test func clampsConfinedSizesOptionReducesAConfinedSizeLargerThanTheRegionToTheRegionSize() throws {
        let request = try request("full/!2000,3000/0/default.jpg")

        let plan = try SizeRules(clampsConfinedSizes: true).plan(
            request.operations, request.output, sourceWidth: 1000, sourceHeight: 1000)

        #expect((plan.width, plan.height) == (1000, 1000))
    }

    @Test func iiifMaxSizeIsTheLargestSizeThatTheLimitsAllow() throws {
        for (maxSide, maxPixels) in [(100, 10_000), (100, 50), (7, 1_000_000), (1, 1), (50, 2500)] {
            let rules = SizeRules(maxSide: maxSide, maxPixels: maxPixels)
            for (width, height) in [(200, 100), (100, 200), (3, 1), (1, 1), (64, 63), (1000, 1)] {
                let region = PixelRectangle(x: 0, y: 0, width: width, height: height)
                for allows in [false, true] {
                    let size = rules.largest(of: region, allowsUpscaling: allows)
                    #expect(size.width <= maxSide && size.height <= maxSide && size.width * size.height <= maxPixels)
                    #expect(allows || (size.width <= width && size.height <= height))
                    // One more pixel on the longer side exceeds a limit.
                    let longer = max(size.width, size.height) + 1
                    let other = max(
                        1, (2 * min(width, height) * longer + max(width, height)) / (2 * max(width, height)))
                    let isOver =
                        longer > maxSide || longer * other > maxPixels || (!allows && longer > max(width, height))
                    #expect(isOver, "\(width)x\(height) in \(maxSide), \(maxPixels) gives \(size)")
                }
            }
        }
    }

    private func request(_ parts: String) throws -> ThumbnailRequest {
        guard case .image(let request) = try IIIFDialect().parse(Array("/iiif/3/id/\(parts)".utf8)) else {
            throw ServiceError(.internalFault, "the target is not an image request")
        }
        return request
    }

    private func plan(_ request: ThumbnailRequest, _ width: Int, _ height: Int) throws(ServiceError) -> RenderPlan {
        try SizeRules().plan(request.operations, request.output, sourceWidth: width, sourceHeight: height)
    }
}
