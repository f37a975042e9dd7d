import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Malformed and unusual requests as bytes; Docs/http-server.md lists the rules.
@Suite(.timeLimit(.minutes(30))) struct RawRequestTests {
    /// Sends the parts of a request and of a GET after it.
    private static func run(_ request: RawRequest, _ loop: TestLoop, cuts: [Int]) throws -> TestClient {
        let client = try loop.connect()
        let bytes = request.bytes + Array(get.utf8)
        for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
            client.send(bytes[start..<end])
            loop.settle(client)
        }
        return client
    }

    @Test(
        .requirement(
            "HS1", "HS2", "HS3", "HS4", "HS5", "HS6", "HS7", "HS8", "HS9", "HS10", "HS11", "HS12", "HS13", "HS14",
            "HS15", "HS16", "HS17", "HS20"),
        arguments: RawRequest.table)
    func requestGetsTheStatusOfTheTableAndAnErrorClosesTheConnection(_ request: RawRequest) throws {
        let loop = try TestLoop(TestHandler.echo)
        let client = try Self.run(request, loop, cuts: [])

        #expect(Self.finalReplies(client).map(\.status) == request.statuses)
        #expect(client.hasEnded == !request.isOpen)
    }

    /// The final responses without their Date fields. `100 Continue` is not sent if the body has arrived already.
    private static func finalReplies(_ client: TestClient) -> [TestReply] {
        client.replies.filter { $0.status != 100 }.map { reply in
            var reply = reply
            reply.fields.removeAll { $0.hasPrefix("Date: ") }
            return reply
        }
    }

    @Test(.requirement("HS30"), arguments: RawRequest.table)
    func requestInRandomPartsGetsTheSameAnswers(_ request: RawRequest) throws {
        let loop = try TestLoop(TestHandler.echo)
        let expected = Self.finalReplies(try Self.run(request, loop, cuts: []))
        var random = SplitMix(seed: 37)
        let count = request.bytes.count + get.utf8.count
        for _ in 0..<500 {
            let cuts = (0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 1..<count, using: &random)
            }
            let client = try Self.run(request, loop, cuts: Set(cuts).sorted())

            #expect(Self.finalReplies(client) == expected, "\(cuts)")
            #expect(client.hasEnded == !request.isOpen, "\(cuts)")
        }
        #expect(loop.census.count <= 501)
    }

    @Test(.requirement("HS30"), arguments: RawRequest.table)
    func everyPrefixOfARequestWaitsOrGetsTheBeginningOfItsAnswers(_ request: RawRequest) throws {
        let loop = try TestLoop(TestHandler.echo)
        for count in request.bytes.indices where count < 600 || count % 97 == 0 {
            let client = try loop.connect()
            client.send(request.bytes[..<count])
            loop.settle(client)
            let statuses = Self.finalReplies(client).map(\.status)
            #expect(request.statuses.starts(with: statuses), "\(count) bytes")

            client.closeHalf()
            loop.settle(client)

            #expect(client.hasEnded, "\(count) bytes")
            #expect(Self.finalReplies(client).map(\.status) == statuses, "\(count) bytes")
        }
        #expect(loop.census.count == 0)
    }
}
