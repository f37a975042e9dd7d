import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The option `output.best`: the smallest file of several formats at equal measured quality.
@Suite struct SmallestFileSearchTests {
    /// A clock whose every reading is one step later.
    private final class StepClock {
        private var count = 0
        let step: Duration

        init(_ step: Duration) { self.step = step }

        func elapsed() -> Duration {
            count += 1
            return step * count
        }
    }

    private static let all = Set(NegotiatedFormat.available)

    private func search(
        _ bitmap: Bitmap, from format: EncodedFormat, candidates: Set<NegotiatedFormat> = all,
        budget: Duration = .seconds(1_000), isOpaque: Bool = true, quality: Int = 80
    ) throws -> (first: EncodedFile, best: EncodedFile) {
        let encoding = ResultEncoding()
        let first = try encoding.file(of: bitmap, as: format, quality: quality, maxBytes: nil, cancellation: nil)
        let search = SmallestFileSearch(
            encoding: encoding, candidates: candidates, budget: budget, elapsed: StepClock(.milliseconds(1)).elapsed,
            decoder: ImageDecoder())
        return (first, try search.smallestFile(first, of: bitmap, isOpaque: isOpaque, cancellation: nil))
    }

    /// A drawing with few colours, which is smaller as a PNG than as a JPEG.
    private static let drawing = Bitmap(width: 128, height: 96) { pixels in
        for y in 0..<96 {
            for x in 0..<128 {
                let isLine = (x / 8 + y / 8) % 5 == 0
                RGBA8(red: isLine ? 200 : 20, green: isLine ? 30 : 20, blue: 60).store(
                    in: &pixels, at: (y * 128 + x) * 4)
            }
        }
    }

    @Test func drawingIsSentAsALosslessFileIfThatIsSmaller() throws {
        let (first, best) = try search(Self.drawing, from: .jpeg, candidates: [.jpeg, .png])

        #expect(best.format == .png && best.quality == nil)
        #expect(best.bytes.count < first.bytes.count)
        #expect(try ImageDecoder().decode(best.bytes).bitmap.copyBytes() == Self.drawing.copyBytes())
    }

    @Test(arguments: [40, 80, 92])
    func smallerFileOfAnotherFormatIsAtLeastAsSimilar(_ quality: Int) throws {
        let bitmap = Bitmap.landscape(160, 120)
        let (first, best) = try search(bitmap, from: .jpeg, quality: quality)

        let target = try #require(BlockSimilarity.mean(bitmap, ImageDecoder().decode(first.bytes).bitmap))
        let found = try #require(BlockSimilarity.mean(bitmap, ImageDecoder().decode(best.bytes).bitmap))
        #expect(best.bytes.count <= first.bytes.count)
        #expect(found >= target)
        #expect(best.format == first.format || best.bytes.count < first.bytes.count)
        #expect(best.attempts.first == first.attempts.first)
        #expect(best.encodes <= 2 * SmallestFileSearch.maxEncodes + 2)
    }

    @Test func losslessFileIsReplacedOnlyByALosslessFile() throws {
        let bitmap = Bitmap.landscape(64, 48)
        let (first, best) = try search(bitmap, from: .png)

        #expect(best.bytes.count <= first.bytes.count)
        #expect(try ImageDecoder().decode(best.bytes).bitmap.copyBytes() == bitmap.copyBytes())
        #expect(!best.attempts.contains { $0.format == .jpeg })
    }

    @Test func transparentImageIsNotEncodedAsJPEG() throws {
        guard EncodedFormat.webp.isAvailable else { return }
        let (_, best) = try search(Bitmap.landscape(64, 48), from: .webp, isOpaque: false)

        #expect(best.encodes > 1)
        #expect(!best.attempts.contains { $0.format == .jpeg })
    }

    @Test func formatThatIsNotACandidateIsNotEncoded() throws {
        let (first, best) = try search(Self.drawing, from: .jpeg, candidates: [.jpeg])

        #expect(best.bytes == first.bytes && best.attempts == first.attempts)
    }

    /// The clock advances 1 ms per reading: the first encode counts as 1 ms, and each later step as 1 ms or more.
    @Test func searchEndsWhenTheNextStepWouldExceedTheBudget() throws {
        let bitmap = Bitmap.landscape(64, 48)
        var last = 0
        for budget in 0..<24 {
            let (first, best) = try search(bitmap, from: .jpeg, budget: .milliseconds(budget))

            if budget < 3 { #expect(best.bytes == first.bytes && best.encodes == 1) }
            #expect(best.encodes >= last && best.encodes <= 1 + budget / 2)
            last = best.encodes
        }
        #expect(last > 1)
    }

    @Test func cancelledSearchThrows() throws {
        let encoding = ResultEncoding()
        let first = try encoding.file(of: Self.drawing, as: .jpeg, quality: 80, maxBytes: nil, cancellation: nil)
        let flag = CancellationFlag()
        flag.cancel()
        let search = SmallestFileSearch(
            encoding: encoding, candidates: Self.all, budget: .seconds(1_000), elapsed: { .zero },
            decoder: ImageDecoder())

        let error = #expect(throws: ServiceError.self) {
            try search.smallestFile(first, of: Self.drawing, isOpaque: true, cancellation: flag)
        }

        #expect(error?.reason == .deadline)
    }

    @Test func serviceSearchesOnlyWithoutARequestedFormatAndCountsEncodes() async throws {
        let file = try ImageEncoder().encode(Self.drawing, as: .jpeg)
        try await withService {
            $0.output.searchBudget = .seconds(1_000)
            $0.server.adminPort = 0
        } _: { service in
            let found = try await service.send("/post/unsafe/100x70/body", method: "POST", body: file)
            let named = try await service.send(
                "/post/unsafe/100x70/filters:format(jpeg)/body", method: "POST", body: file)
            let again = try await service.send("/post/unsafe/100x70/body", method: "POST", body: file)

            #expect(named["Content-Type"] == "image/jpeg")
            #expect(found.body.count <= named.body.count)
            #expect(found.body == again.body && found["ETag"] == again["ETag"])
            let samples = try MetricSample.all(in: await service.admin.send("/metrics").text)
            let encodes = ["jpeg", "png"].map { samples.value("imagetool_encodes_total", ["format": $0]) ?? 0 }
            #expect(encodes[0] >= 3 && encodes[1] == 2)
            #expect((samples.value("imagetool_encoded_bytes_total", ["format": "png"]) ?? 0) > 0)
        }
    }
}
