import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Bodies that a task produces.
@Suite(.timeLimit(.minutes(30))) struct StreamTests {
    private struct Failure: Error {}

    private static func loop(_ length: Int? = nil, _ produce: @escaping @Sendable (StreamWriter) async throws -> Void)
        throws
        -> TestLoop
    {
        try TestLoop(
            TestHandler { _ in
                .response(Response(status: 200, body: .stream(StreamBody(length: length, produce: produce))))
            })
    }

    private static let parts: @Sendable (StreamWriter) async throws -> Void = { writer in
        for part in ["one", "", "two", "three"] { try await writer.write(Array(part.utf8)) }
    }

    @Test(.requirement("HS25")) func streamOfUnknownLengthIsChunked() throws {
        let loop = try Self.loop(nil, Self.parts)
        let client = try loop.connect()
        client.send(get + get)
        loop.settle(client)

        #expect(client.replies.map(\.text) == ["onetwothree", "onetwothree"])
        #expect(client.replies.first?["Transfer-Encoding"] == "chunked")
        #expect(!client.hasEnded)
    }

    @Test(.requirement("HS25")) func streamOfKnownLengthHasContentLength() throws {
        let loop = try Self.loop(11, Self.parts)
        let client = try loop.connect()
        client.send(get + get)
        loop.settle(client)

        #expect(client.replies.map(\.text) == ["onetwothree", "onetwothree"])
        #expect(client.replies.first?["Content-Length"] == "11")
    }

    @Test(.requirement("HS25")) func streamOfUnknownLengthForHTTP10EndsWithTheConnection() throws {
        let loop = try Self.loop(nil, Self.parts)
        let client = try loop.connect()
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        loop.settle(client)

        #expect(client.text.hasSuffix("Connection: close\r\n\r\nonetwothree"))
        #expect(client.hasEnded)
    }

    @Test(.requirement("HS25"), arguments: [10, 12])
    func streamOfAnotherLengthThanAnnouncedEndsTheConnection(_ length: Int) throws {
        let loop = try Self.loop(length, Self.parts)
        let client = try loop.connect()
        client.send(get)
        loop.settle(client)

        #expect(client.hasEnded)
        #expect(client.replies.isEmpty)
    }

    @Test(.requirement("HS25")) func failedStreamEndsTheConnectionWithoutALastChunk() throws {
        let loop = try Self.loop(nil) { writer in
            try await writer.write([1])
            throw Failure()
        }
        let client = try loop.connect()
        client.send(get)
        loop.settle(client)

        #expect(client.hasEnded)
        #expect(client.replies.isEmpty)
    }

    @Test(.requirement("HS22")) func streamIsNotProducedForHEAD() throws {
        let isCalled = Locked(false)
        let loop = try Self.loop { _ in isCalled.update { $0 = true } }
        let client = try loop.connect()
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        loop.settle(client)

        #expect(client.text.hasPrefix("HTTP/1.1 200 "))
        #expect(!isCalled.value)
    }

    @Test(.requirement("HS25")) func writerWaitsForTheClientAndFailsWhenItLeaves() throws {
        let written = Locked(0)
        let hasFailed = Locked(false)
        let loop = try Self.loop { writer in
            do {
                for _ in 0..<100 {
                    try await writer.write([UInt8](repeating: 1, count: 1 << 20))
                    written.update { $0 += 1 }
                }
            } catch {
                hasFailed.update { $0 = true }
            }
        }
        let client = try loop.connect()
        client.send(get)
        for _ in 0..<100 { loop.worker.loop.turn() }
        let count = written.value
        #expect(count < 4)

        loop.settle(client)
        #expect(written.value == 100)
        #expect(!hasFailed.value)

        let other = try loop.connect()
        other.send(get)
        for _ in 0..<100 { loop.worker.loop.turn() }
        other.close()
        loop.settle()
        #expect(hasFailed.value)
        #expect(loop.census.count == 1)
    }
}
