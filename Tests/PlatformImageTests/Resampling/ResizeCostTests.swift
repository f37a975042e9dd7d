import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct ResizeCostTests {
    private static func blank(_ width: Int, _ height: Int) -> Bitmap { Bitmap(width: width, height: height) { _ in } }

    /// A reduction, an enlargement of one row, and an enlargement that repeats each row.
    private static let works: [(source: Bitmap, width: Int, height: Int, filter: ResampleFilter)] = [
        (blank(9, 200), 3, 20, .lanczos3), (blank(3, 1), 2, 200, .bilinear), (blank(5, 2), 5, 150, .nearest),
    ]

    @Test func cancellingAtAnyPollThrowsCancelled() throws {
        for work in Self.works {
            let counter = CancellationFlag()
            _ = try work.source.resized(
                width: work.width, height: work.height, filter: work.filter, cancellation: counter)
            let rows = max(work.source.height, work.height)
            #expect(counter.pollCount >= rows / 16, "\(counter.pollCount) polls for \(rows) rows")

            for polls in 0..<counter.pollCount {
                let flag = CancellationFlag()
                flag.cancelAfter(polls: polls)
                let error = #expect(throws: DecodeError.self) {
                    try work.source.resized(
                        width: work.width, height: work.height, filter: work.filter, cancellation: flag)
                }
                #expect(error?.code == .cancelled, "at poll \(polls)")
            }
        }
    }

    @Test func expiredDeadlineThrowsLimitExceeded() throws {
        let flag = CancellationFlag()
        flag.setDeadline(.now - .seconds(1))

        let error = #expect(throws: DecodeError.self) {
            try Self.blank(4, 4).resized(width: 2, height: 2, cancellation: flag)
        }

        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "deadline")
    }

    /// Each additional source row requires memory for its weights (a few bytes), but no memory for its pixels.
    @Test(arguments: ResampleFilter.allCases)
    func resamplerMemoryGrowsByAtMost16BytesPerSourceRow(_ filter: ResampleFilter) {
        func bytes(_ times: Int) -> Int {
            RowResampler.byteCount(
                ResampleRequest(
                    sourceWidth: 4000, sourceHeight: 3000 * times, width: 256, height: 192 * times, filter: filter))
        }

        #expect(bytes(1) < 1_000_000)
        #expect((bytes(10) - bytes(1)) / 27_000 <= 16)
    }

    @Test func invalidResampleRequestHasAMemoryEstimateOfZeroBytes() {
        let request = ResampleRequest(sourceWidth: 10, sourceHeight: 10, width: 5, height: 5, filter: .box)
        #expect(request.isValid && RowResampler.byteCount(request) > 0)
        let changes: [(inout ResampleRequest) -> Void] = [
            { $0.sourceWidth = 0 }, { $0.sourceHeight = -1 }, { $0.width = 0 }, { $0.height = 1 << 21 },
            { $0.sourceWidth = 1 << 21 }, { $0.cropX = -0.1 }, { $0.cropY = .nan }, { $0.cropWidth = 0 },
            { $0.cropHeight = .infinity }, { $0.cropX = 0.5 }, { $0.cropWidth = .nan },
        ]
        for change in changes {
            var bad = request
            change(&bad)
            #expect(!bad.isValid, "\(bad)")
            #expect(RowResampler.byteCount(bad) == 0, "\(bad)")
        }
    }

    @Test func cropWithoutPixelsInsideTheImageThrowsEmptyCrop() {
        let source = Self.blank(8, 6)
        for crop in [
            PixelRectangle(x: 8, y: 0, width: 3, height: 3), PixelRectangle(x: 0, y: -4, width: 3, height: 4),
            PixelRectangle(x: 1, y: 1, width: 0, height: 2), PixelRectangle(x: .max, y: 0, width: .max, height: 1),
        ] {
            let error = #expect(throws: DecodeError.self) { try source.resized(width: 2, height: 2, crop: crop) }
            #expect(error?.code == .emptyCrop)
        }
    }

    @Test func resultOverALimitThrowsLimitExceededWithTheNameOfTheLimit() {
        let source = Self.blank(8, 6)
        func detail(_ width: Int, _ height: Int, _ change: (inout DecodeLimits) -> Void) -> String? {
            var limits = DecodeLimits.unlimited
            change(&limits)
            let error = #expect(throws: DecodeError.self) {
                try source.resized(width: width, height: height, limits: limits)
            }
            return error?.code == .limitExceeded ? error?.detail : nil
        }

        #expect(detail(100, 1) { $0.maxSide = 99 } == "maxSide")
        #expect(detail(1, .max) { _ in } == "maxSide")
        #expect(detail(100, 100) { $0.maxPixels = 9_999 } == "maxPixels")
        #expect(detail(100, 100) { $0.maxMemory = 40_000 } == "maxMemory")
        #expect(detail(60_000, 60_000) { $0 = DecodeLimits() } == "maxPixels")
    }
}
