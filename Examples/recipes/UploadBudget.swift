import PlatformImage
import Testing

/// Decodes the uploads of a server. However many arrive at the same time, their decodes use at most `budgetBytes`
/// of memory and `threads` processors.
struct UploadDecoder: Sendable {
    let queue: DecodeQueue
    private let decoder: ImageDecoder

    init(threads: Int = 0, budgetBytes: Int = 256 << 20) {
        // A positive niceness keeps the server responsive while all threads decode.
        queue = DecodeQueue(width: threads, budget: DecodeBudget(maxBytes: budgetBytes), niceness: 5)
        var decoder = ImageDecoder()
        decoder.options.limits = .thumbnailService
        self.decoder = decoder
    }

    /// - Throws: `limitExceeded` when the image alone needs more than the budget or a limit.
    func thumbnail(of upload: [UInt8]) async throws(DecodeError) -> Bitmap {
        try await queue.thumbnail(of: upload, options: ThumbnailOptions(width: 64, height: 64), with: decoder).bitmap
    }

    /// True when a server should answer 503 instead of accepting more work.
    var isOverloaded: Bool { queue.waitingCount > 20 * queue.width }
}

extension RecipeTests {
    @Test func hundredConcurrentUploadsStayWithinTheBudget() async throws {
        let uploads = UploadDecoder(threads: 4, budgetBytes: 8 << 20)
        let file = try example("demo/mountains.jpg")

        let widths = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await uploads.thumbnail(of: file).width } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(widths == Array(repeating: 64, count: 100))
        let peak = uploads.queue.budget.peakGrantedBytes
        #expect(peak > 0 && peak <= 8 << 20)
        #expect(uploads.queue.budget.grantedBytes == 0 && !uploads.isOverloaded)
        await #expect(throws: DecodeError.self) { try await UploadDecoder(budgetBytes: 1_000).thumbnail(of: file) }
    }
}
