import PlatformImage
import Testing

@testable import PlatformImageService

/// The table of Docs/service-rules.md 2.3, measured with thumbor 7.8.0, and cases derived from it.
@Suite struct ThumborSizeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let parts: String
        let source: (Int, Int)
        let result: (Int, Int)

        init(_ parts: String, _ sourceWidth: Int, _ sourceHeight: Int, _ width: Int, _ height: Int) {
            (self.parts, source, result) = (parts, (sourceWidth, sourceHeight), (width, height))
        }

        var testDescription: String { "\(parts) of \(source.0)x\(source.1)" }
    }

    @Test(arguments: [
        Case("fit-in/300x200", 2000, 1500, 267, 200), Case("300x200", 2000, 1500, 300, 200),
        Case("300x0", 2000, 1500, 300, 225), Case("0x200", 2000, 1500, 267, 200),
        Case("x", 2000, 1500, 2000, 1500), Case("0x0", 2000, 1500, 2000, 1500),
        Case("full-fit-in/300x200", 2000, 1500, 300, 225), Case("adaptive-fit-in/300x200", 1500, 2000, 200, 267),
        Case("adaptive-full-fit-in/300x200", 1500, 2000, 225, 300),
        Case("fit-in/300x200/filters:fill(white)", 2000, 1500, 300, 200),
        Case("300x200/filters:proportion(0.5)", 2000, 1500, 150, 100),
        Case("300x200/filters:rotate(90)", 2000, 1500, 200, 300), Case("fit-in/200x0", 400, 201, 199, 100),
        Case("200x0", 400, 201, 200, 100), Case("fit-in/600x600", 100, 80, 100, 80),
        Case("600x600", 100, 80, 600, 600), Case("300x200/filters:no_upscale()", 100, 80, 100, 80),
        Case("fit-in/600x600/filters:upscale()", 100, 80, 600, 480), Case("origx200", 2000, 1500, 2000, 200),
        Case("300xorig", 2000, 1500, 300, 1500), Case("10x10:60x40/30x0", 100, 80, 30, 18),
        Case("60x40:10x10/30x0", 100, 80, 30, 24), Case("fit-in/50x50", 3, 1000, 1, 50),
    ])
    func resultSizeOfTargetsInTheServiceRulesTableEqualsThatOfThumbor(_ test: Case) throws {
        let plan = try plan(test.parts, test.source.0, test.source.1)

        #expect((plan.resultWidth, plan.resultHeight) == test.result)
    }

    @Test(arguments: [
        Case("adaptive-fit-in/300x200", 2000, 1500, 267, 200), Case("adaptive-fit-in/300x200", 1500, 1500, 200, 200),
        Case("full-fit-in/600x600", 100, 80, 750, 600), Case("fit-in/300x0", 2000, 1500, 300, 225),
        Case("fit-in/0x200", 100, 80, 100, 80), Case("fit-in/origx40", 100, 80, 50, 40),
        Case("0x1", 1000, 3, 333, 1), Case("1x0", 1000, 3, 1, 1), Case("1x0", 3, 1000, 1, 333),
        Case("300x200/filters:stretch()", 2000, 1500, 300, 200), Case("10x0/filters:no_upscale()", 5, 7, 5, 7),
        Case("0x5/filters:dpr(2)", 40, 20, 20, 10), Case("fit-in/300x200/filters:upscale()", 2000, 1500, 267, 200),
        Case("filters:proportion(0.29)", 100, 100, 29, 29), Case("filters:proportion(0.001)", 100, 100, 100, 100),
        Case("filters:rotate(90):fill(red)", 30, 20, 20, 30),
        Case("30x20/filters:rotate(90):fill(red)", 60, 40, 30, 20),
        Case("fit-in/30x0/filters:fill(red)", 60, 40, 30, 20), Case("filters:upscale()", 60, 40, 60, 40),
        Case("30x0/filters:upscale()", 60, 40, 30, 20), Case("0x0:1x1/7x9", 60, 40, 7, 9),
        Case("0x0:9999x9999/30x0", 60, 40, 30, 20), Case("50x30:9999x9999/0x5", 60, 40, 5, 5),
        Case("fit-in/1x1", 1, 1, 1, 1),
    ])
    func resultSizeOfTargetsNotInTheServiceRulesTableHasTheExpectedValue(_ test: Case) throws {
        let plan = try plan(test.parts, test.source.0, test.source.1)

        #expect((plan.resultWidth, plan.resultHeight) == test.result)
    }

    /// The crop of Docs/service-rules.md 2.3, positioned by the centre, the alignment or the weighted mean of the focal
    /// points. For a source of SW x SH and a box of W x H pixels: if W / H is greater than SW / SH, the crop has the
    /// width SW and the height round(SW * H / W), otherwise the width ceil(W * SH / H) and the height SH.
    @Test(arguments: [
        ("300x200", (0, 84, 2000, 1333)), ("300x200/top", (0, 0, 2000, 1333)), ("300x200/bottom", (0, 167, 2000, 1333)),
        ("200x300", (500, 0, 1000, 1500)), ("200x300/left", (0, 0, 1000, 1500)),
        ("200x300/right", (1000, 0, 1000, 1500)), ("200x300/right/top", (1000, 0, 1000, 1500)),
        ("400x300", (0, 0, 2000, 1500)), ("fit-in/200x300/left", (0, 0, 2000, 1500)),
        ("200x300/filters:stretch()", (0, 0, 2000, 1500)), ("7x1500", (996, 0, 7, 1500)),
        ("200x300/filters:focal(0x0:100x100)", (0, 0, 1000, 1500)),
        ("200x300/filters:focal(700x0:900x1500)", (300, 0, 1000, 1500)),
        ("200x300/filters:focal(0x0:100x100):focal(1500x0:1800x100)", (750, 0, 1000, 1500)),
        ("200x300/left/filters:focal(1900x0:2000x100)", (1000, 0, 1000, 1500)),
        ("200x300/filters:focal(0x0:999999999x999999999)", (1000, 0, 1000, 1500)),
        ("100x0:1100x1500/200x300/filters:focal(0x0:10x10)", (100, 0, 1000, 1500)),
        ("500x0:2000x1500/200x300/filters:focal(0x0:10x10)", (750, 0, 1000, 1500)),
        ("500x0:2000x1500/200x300/filters:focal(600x0:700x10)", (500, 0, 1000, 1500)),
    ])
    func cropIsPositionedByAlignmentAndFocalPoints(_ parts: String, _ crop: (Int, Int, Int, Int)) throws {
        let plan = try plan(parts, 2000, 1500)

        #expect(plan.crop == PixelRectangle(x: crop.0, y: crop.1, width: crop.2, height: crop.3))
    }

    @Test func cropIsInsideTheImageAndHasTheAspectRatioOfTheBox() throws {
        for (width, height) in [(1, 1), (1, 7), (7, 1), (13, 29), (400, 201), (1000, 3)] {
            for boxWidth in [1, 2, 3, 5, 8, 13, 21, 30] {
                for boxHeight in [1, 2, 3, 5, 8, 13, 21, 30] {
                    for alignment in ["", "/left/top", "/right/bottom"] {
                        let plan = try plan("\(boxWidth)x\(boxHeight)\(alignment)", width, height)
                        let crop = plan.crop
                        #expect((plan.width, plan.height) == (boxWidth, boxHeight))
                        #expect(crop.x >= 0 && crop.y >= 0 && crop.width >= 1 && crop.height >= 1)
                        #expect(crop.x + crop.width <= width && crop.y + crop.height <= height)
                        #expect(crop.width == width || crop.height == height)
                        // Rounding error of at most one pixel.
                        let off = abs(crop.width * boxHeight - crop.height * boxWidth)
                        #expect(off < max(boxWidth, boxHeight) || min(crop.width, crop.height) == 1)
                    }
                }
            }
        }
    }

    @Test func resultOfFitInIsTheSourceScaledDownToFitTheBox() throws {
        for (width, height) in [(1, 1), (3, 100), (100, 3), (13, 29), (40, 21)] {
            for boxWidth in stride(from: 1, through: 50, by: 3) {
                for boxHeight in stride(from: 1, through: 50, by: 2) {
                    let plan = try plan("fit-in/\(boxWidth)x\(boxHeight)", width, height)
                    let scale = min(1, Double(boxWidth) / Double(width), Double(boxHeight) / Double(height))
                    let expected = [width, height].map { max(1, Int((Double($0) * scale + 1e-9).rounded())) }
                    #expect([plan.width, plan.height] == expected, "\(boxWidth)x\(boxHeight) of \(width)x\(height)")
                }
            }
        }
    }

    @Test func renderPlanContainsTheComputedSizeOfEachStep() throws {
        let plan = try plan("-300x-200/filters:grayscale():rotate(90):proportion(0.5):fill(red,true)", 2000, 1500)

        #expect(plan.flipsHorizontally && plan.flipsVertically)
        let red = FillColor.color(RGBA8(red: 255, green: 0, blue: 0))
        let canvas = RenderStep.Canvas(
            color: red, width: 300, height: 200, left: 100, top: 25, blendsTransparency: true)
        #expect(
            plan.steps == [
                .filter(.grayscale), .rotate(quarterTurns: 3), .resize(width: 100, height: 150), .fill(canvas),
            ])
        #expect((plan.width, plan.height, plan.resultWidth, plan.resultHeight) == (300, 200, 300, 200))
    }

    @Test func proportionFilterIsMergedIntoTheFirstResize() throws {
        let plan = try plan("300x200/filters:proportion(0.5):grayscale()", 2000, 1500)

        #expect((plan.width, plan.height) == (150, 100))
        #expect(plan.steps == [.filter(.grayscale)])
    }

    @Test func canvasLowerThanTheRotatedImageCropsTheImage() throws {
        let plan = try plan("31x20/filters:rotate(90):fill(auto)", 60, 40)

        let canvas = RenderStep.Canvas(
            color: .average, width: 31, height: 20, left: 5, top: -6, blendsTransparency: false)
        #expect(plan.steps == [.rotate(quarterTurns: 3), .fill(canvas)])
    }

    @Test func manualCropIsRelativeToTheTrimmedRegion() throws {
        let trimmed = PixelRectangle(x: 20, y: 10, width: 60, height: 50)

        let whole = try plan("trim/30x0", 100, 80, trimmed: trimmed)
        let cropped = try plan("trim/10x10:60x40/30x0", 100, 80, trimmed: trimmed)

        #expect(whole.region == trimmed)
        #expect((whole.width, whole.height) == (30, 25))
        #expect(cropped.region == PixelRectangle(x: 20, y: 10, width: 40, height: 30))
    }

    @Test func smartCropSearchRunsOnlyForACroppedRegionThatContainsNoFocalPoint() throws {
        #expect(try plan("200x300/smart", 2000, 1500).isCropSearched)
        #expect(try !plan("200x300", 2000, 1500).isCropSearched)
        #expect(try !plan("400x300/smart", 2000, 1500).isCropSearched)
        #expect(try !plan("fit-in/200x300/smart", 2000, 1500).isCropSearched)
        #expect(try !plan("200x300/smart/filters:focal(1x1:9x9)", 2000, 1500).isCropSearched)
        #expect(try plan("100x0:2000x1500/200x300/smart/filters:focal(1x1:9x9)", 2000, 1500).isCropSearched)
    }

    @Test(arguments: [
        ("9000x10", 100, 100), ("10x9000", 100, 100), ("8192x8192", 100, 100), ("0x9000", 100, 100),
        ("full-fit-in/10x9000", 100, 100), ("fit-in/9000x9000/filters:upscale()", 100, 100),
        ("fit-in/9000x9000/filters:fill(red)", 100, 100), ("x", 9000, 1), ("999999999x999999999", 1_048_576, 1_048_576),
        ("origx999999999/filters:fill(red)", 1_048_576, 1), ("filters:proportion(0.5)", 9000, 9),
    ])
    func resultSizeOverTheLimitsIsRejected(_ parts: String, _ width: Int, _ height: Int) {
        let result = Result { () throws(ServiceError) in try plan(parts, width, height) }

        #expect(result.refusal == .limit)
    }

    @Test func sizeThatExceedsTheLimitForEverySourceIsRejectedBeforeTheFetch() throws {
        for parts in ["9000x10", "8000x8000", "full-fit-in/9000x9000", "9000x10/filters:stretch()"] {
            let operations = try request(parts).operations
            let result = Result { () throws(ServiceError) in try SizeRules().checkBeforeFetch(operations) }
            #expect(result.refusal == .limit, "\(parts)")
        }
        for parts in ["300x200", "fit-in/9000x9000", "9000x0", "9000x9000/filters:no_upscale()", "origx9000"] {
            try SizeRules().checkBeforeFetch(try request(parts).operations)
        }
    }

    @Test func sourceWithZeroOrExcessiveSidesIsRejected() {
        for (width, height) in [(0, 1), (1, 0), (-1, 5), (1_048_577, 1), (1, .max)] {
            let result = Result { () throws(ServiceError) in try plan("30x20", width, height) }
            #expect(result.refusal == .limit)
        }
    }

    private func request(_ parts: String) throws(ServiceError) -> ThumbnailRequest {
        try ThumborParserTests.dialect.parse("/unsafe/\(parts)/h/a".utf8)
    }

    private func plan(
        _ parts: String, _ width: Int, _ height: Int, trimmed: PixelRectangle? = nil
    ) throws(ServiceError) -> RenderPlan {
        let request = try request(parts)
        return try SizeRules().plan(
            request.operations, request.output, sourceWidth: width, sourceHeight: height, trimmed: trimmed)
    }
}
