import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Responses on connections.
@Suite(.timeLimit(.minutes(30))) struct ResponseTests {
    private static func send(_ response: Response, _ request: String) throws -> TestClient {
        let loop = try TestLoop(TestHandler { _ in .response(response) }) { $0.serverName = "test" }
        let client = try loop.connect()
        client.send(request)
        loop.settle(client)
        return client
    }

    @Test(.requirement("HS22")) func responsesWithoutBodyHaveNoneAndKeepTheConnection() throws {
        let body = ResponseBody.bytes(Array("body".utf8))
        let head = get.replacingOccurrences(of: "GET", with: "HEAD")
        for (status, request, length) in [(200, head, "4"), (304, get, nil), (204, get, nil), (304, head, nil)] {
            let client = try Self.send(Response(status: status, body: body), request + request)

            #expect(client.text.hasSuffix("\r\n\r\n"))
            #expect(client.text.components(separatedBy: "HTTP/1.1 \(status) ").count == 3)
            #expect(client.text.contains("Content-Length: \(length ?? "")") == (length != nil))
            #expect(!client.hasEnded)
        }
    }

    @Test(.requirement("HS21")) func responseHasTheFieldsOfTheServerAndOfTheHandler() throws {
        var response = Response(status: 404, text: "no")
        response.ownFields.append(FieldName("X-Request-ID"), "17")
        let client = try Self.send(response, get)

        let reply = try #require(client.replies.first)
        #expect(reply.status == 404)
        #expect(reply["Server"] == "test")
        #expect(reply["Date"]?.hasSuffix(" GMT") == true)
        #expect(reply["Content-Type"] == "text/plain; charset=utf-8")
        #expect(reply["X-Request-ID"] == "17")
        #expect(reply["Content-Length"] == "3")
        #expect(reply["Connection"] == nil)
        #expect(reply.text == "no\n")
    }

    @Test(.requirement("HS27", "HS29")) func responseThatClosesTheConnectionSaysSoAndEndsIt() throws {
        var response = Response(status: 200, text: "ok")
        response.closesConnection = true
        let client = try Self.send(response, get + get)

        #expect(client.statuses == [200])
        #expect(client.replies.first?["Connection"] == "close")
        #expect(client.hasEnded)
    }

    @Test(.requirement("HS27")) func keepAliveOfHTTP10IsAnswered() throws {
        let client = try Self.send(
            Response(status: 200, text: "ok"), "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")

        #expect(client.replies.first?["Connection"] == "keep-alive")
        #expect(!client.hasEnded)
    }

    /// The body is sent from the array of the handler: 100 clients that do not read share it.
    @Test(.requirement("HS21")) func largeBodyIsNotCopiedForClientsThatDoNotRead() throws {
        let body = (0..<30_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let response = Response(status: 200, body: .bytes(body))
        let loop = try TestLoop(TestHandler { _ in .response(response) })
        var clients: [TestClient] = []
        let before = ResidentMemory.currentBytes
        for _ in 0..<110 {
            let client = try loop.connect()
            client.send(get)
            loop.worker.loop.turn()
            clients.append(client)
        }
        let growth = ResidentMemory.currentBytes - before
        // Copies would need 3.3 GB; other tests of this process use memory meanwhile.
        #expect(growth < 1_000_000_000, "\(growth) bytes")

        loop.settle(clients[50])
        #expect(clients[50].replies.first?.body == body)
        clients[50].send(get)
        loop.settle(clients[50])
        #expect(clients[50].statuses == [200, 200])
    }

    @Test(.requirement("HS24")) func fileIsSentWithItsRange() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "http-server-\(UUID()).bin")
        defer { try? FileManager.default.removeItem(at: url) }
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        try Data(bytes).write(to: url)
        let path = url.path(percentEncoded: false)
        for range in [nil, 0..<0, 10..<20, 4_999_990..<9_000_000, 6_000_000..<7_000_000, 1..<4_000_000] {
            let file = try #require(FileBody(path: path, range: range))
            let client = try Self.send(Response(status: 200, body: .file(file)), get + get)

            let expected = Array(bytes[(range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)])
            #expect(client.replies.map(\.body) == [expected, expected])
            #expect(!client.hasEnded)
        }
        #expect(FileBody(path: path + "x") == nil)
        #expect(FileBody(path: "/dev/null") == nil)
        #expect(FileBody(path: "/") == nil)
    }

    @Test(.requirement("HS24")) func fileThatGetsShorterEndsTheConnection() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "http-server-\(UUID()).bin")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(repeating: 1, count: 1_000).write(to: url)
        let file = try #require(FileBody(path: url.path(percentEncoded: false)))
        try FileHandle(forWritingTo: url).truncate(atOffset: 500)

        let client = try Self.send(Response(status: 200, body: .file(file)), get)

        #expect(client.hasEnded)
        #expect(client.statuses == [])
    }

    @Test func rejectedRequestIsDescribedToTheHandler() throws {
        struct Recorder: RequestHandler {
            let seen = Locked<[RejectedRequest]>([])
            func answer(to request: Request) -> Answer { .response(Response(status: 200, text: "ok")) }
            func response(to rejected: RejectedRequest) -> Response {
                seen.update { $0.append(rejected) }
                return Response(status: rejected.reason.status, text: "refused")
            }
        }
        let recorder = Recorder()
        let loop = try TestLoop(recorder)
        let (long, unknown) = (String(repeating: "a", count: 9_000), String(repeating: "A", count: 9_000))
        for text in [
            "HEAD /a?b HTTP/1.1\r\n\r\n", "\r\nBREW /a HTTP/1.1\r\n\r\n", "\r\nHEAD /\(long) HTTP/1.1\r\n\r\n",
            "\(unknown) /a HTTP/1.1\r\n\r\n", "GET\t/a HTTP/1.1\r\n\r\n",
        ] {
            let client = try loop.connect()
            client.send(text)
            loop.settle(client)
            #expect(client.hasEnded)
            // The response to HEAD has no body.
            #expect(client.text.hasSuffix("refused\n") == !text.contains("HEAD"))
        }

        let seen = recorder.seen.value
        #expect(seen.map(\.reason.rule) == [.host, .method, .targetLength, .targetLength, .requestLine])
        #expect(seen.map(\.method) == [.head, nil, .head, nil, nil])
        #expect(seen.map(\.target) == ["/a?b", "/a", "/" + long.prefix(8_191), nil, nil])
    }
}
