import PlatformImageLoader
import Testing

/// Bodies of one array.
@Suite(.timeLimit(.minutes(30))) struct HTTPBodyTests {
    private func chunks(of body: HTTPBody) async throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        for try await chunk in body { chunks.append(chunk) }
        return chunks
    }

    @Test func bodyOfAnArrayDeliversItAsOneChunk() async throws {
        let chunks = try await chunks(of: HTTPBody([1, 2, 3]))
        #expect(chunks == [[1, 2, 3]])
    }

    @Test func bodyOfAnEmptyArrayHasNoChunks() async throws {
        let chunks = try await chunks(of: HTTPBody([]))
        #expect(chunks.isEmpty)
    }

    @Test func secondIterationOfABodyOrItsCopyHasNoChunks() async throws {
        let body = HTTPBody([7])
        let copy = body
        _ = try await chunks(of: body)

        let (again, copied) = (try await chunks(of: body), try await chunks(of: copy))

        #expect(again.isEmpty && copied.isEmpty)
    }

    @Test func iteratorsOfOneBodyDeliverTheChunkTogetherOnlyOnce() async throws {
        let body = HTTPBody([1, 2])
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try await chunks(of: body).count } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.count == 16 && counts.reduce(0, +) == 1)
    }
}
