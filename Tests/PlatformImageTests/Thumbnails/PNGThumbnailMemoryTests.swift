import PlatformImage
import PlatformImageTestSupport
import Testing

/// Making a thumbnail of a large PNG requires memory for a few rows, not for all raw rows.
@Suite(.requirement("N1"), .timeLimit(.minutes(30))) struct PNGThumbnailMemoryTests {
    @Test(arguments: [8, 16]) func thumbnailOfAn18MegapixelPNGUsesAtMost8MiBOfTheBudget(_ bitDepth: Int) async throws {
        let bytes = LargePNG.bytes(bitDepth: bitDepth)
        let budget = DecodeBudget(maxBytes: 90 << 20)
        var libraries = DecodeOptions()
        libraries.usesLibrariesAlone = true
        let options = ThumbnailOptions(width: 300)
        let expected = try ImageDecoder(options: libraries).thumbnail(of: bytes, options: options)

        let thumbnail = try await DecodeQueue(budget: budget).thumbnail(of: bytes, options: options)

        #expect(thumbnail.bitmap.copyBytes() == expected.bitmap.copyBytes())
        #expect(thumbnail.bitmap.width == 300 && thumbnail.status == .complete)
        #expect(budget.peakGrantedBytes <= 8 << 20)
    }

    /// Runs in a dedicated process, so that this thumbnail determines the peak resident size.
    @Test(arguments: [8, 16]) func thumbnailOfAn18MegapixelPNGRaisesResidentMemoryByAtMost8MB(_ bitDepth: Int) async {
        await #expect(processExitsWith: .success) { [bitDepth = bitDepth as Int] in
            let small = LargePNG.bytes(bitDepth: bitDepth, width: 2000, height: 300)
            let bytes = LargePNG.bytes(bitDepth: bitDepth)
            let options = ThumbnailOptions(width: 300)
            // The first thumbnail loads libraries and allocates memory that later thumbnails use again.
            _ = try ImageDecoder().thumbnail(of: small, options: options)
            let before = ResidentMemory.peakBytes

            let thumbnail = try ImageDecoder().thumbnail(of: bytes, options: options)

            precondition(thumbnail.status == .complete)
            precondition(ResidentMemory.peakBytes - before <= 8_000_000)
        }
    }

    /// The budget is 1 MiB. If the budget were large enough for all raw rows (9 MB), they would be decompressed in one
    /// call.
    @Test func imageWhoseRawRowsExceedTheBudgetIsStreamed() async throws {
        let bytes = LargePNG.bytes(bitDepth: 8, width: 2000, height: 1500)
        let options = ThumbnailOptions(width: 100)
        let expected = try ImageDecoder().thumbnail(of: bytes, options: options)
        let budget = DecodeBudget(maxBytes: 1 << 20)

        let thumbnail = try await DecodeQueue(budget: budget).thumbnail(of: bytes, options: options)

        #expect(thumbnail.bitmap.copyBytes() == expected.bitmap.copyBytes())
    }

    @Test func imageWhoseRawRowsExceedMaxMemoryIsStreamed() throws {
        let bytes = LargePNG.bytes(bitDepth: 8, width: 2000, height: 1500)
        let expected = try ImageDecoder().thumbnail(of: bytes, options: ThumbnailOptions(width: 100))
        var options = DecodeOptions()
        options.limits.maxMemory = 1 << 20

        let thumbnail = try ImageDecoder(options: options).thumbnail(of: bytes, options: ThumbnailOptions(width: 100))

        #expect(thumbnail.bitmap.copyBytes() == expected.bitmap.copyBytes())
    }

    /// The image has 12 MB of pixels and 9 MB of raw rows; the budget is 14 MB.
    @Test func fullPNGDecodeNeedsNoBudgetForRawRows() async throws {
        let bytes = LargePNG.bytes(bitDepth: 8, width: 2000, height: 1500)
        let expected = try ImageDecoder().decode(bytes)
        let budget = DecodeBudget(maxBytes: 14_000_000)

        let image = try await DecodeQueue(budget: budget).decode(bytes)

        #expect(image.bitmap.copyBytes() == expected.bitmap.copyBytes())
    }

    @Test func decodeBudgetTooSmallForStreamingIsNamedInTheDetailOfTheError() async {
        let bytes = LargePNG.bytes(bitDepth: 8, width: 2000, height: 300)
        let queue = DecodeQueue(budget: DecodeBudget(maxBytes: 100_000))

        let error = await #expect(throws: DecodeError.self) {
            try await queue.thumbnail(of: bytes, options: ThumbnailOptions(width: 100))
        }

        #expect(error?.detail == "decodeBudget")
    }
}
