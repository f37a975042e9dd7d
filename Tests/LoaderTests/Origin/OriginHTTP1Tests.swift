import PlatformImageLoopbackOrigin
import Testing

/// The bytes of an origin's responses over HTTP/1.1, and the requests that it records.
@Suite(.timeLimit(.minutes(5))) struct OriginHTTP1Tests {
    private struct Exchange: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let action: OriginAction
        let bytes: [UInt8]
        let closes: Bool

        init(_ name: String, _ action: OriginAction, _ text: String, closes: Bool = false) {
            (testDescription, self.action, bytes, self.closes) = (name, action, Array(text.utf8), closes)
        }
    }

    private static func response(_ body: String, _ change: (inout OriginResponse) -> Void = { _ in }) -> OriginAction {
        var response = OriginResponse(body: Array(body.utf8))
        change(&response)
        return .response(response)
    }

    private static let exchanges: [Exchange] = [
        Exchange(
            "fields", .ok([0x61], [OriginField("b", "1"), OriginField("A", "x "), OriginField("b", "")]),
            "HTTP/1.1 200 Status\r\nb: 1\r\nA: x \r\nb: \r\nContent-Length: 1\r\n\r\na"),
        Exchange("empty body", .ok([]), "HTTP/1.1 200 Status\r\nContent-Length: 0\r\n\r\n"),
        Exchange("redirect", .redirect(to: "/b"), "HTTP/1.1 302 Status\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
        Exchange("status 204", response("") { $0.status = 204 }, "HTTP/1.1 204 Status\r\n\r\n"),
        Exchange("status 304", response("") { $0.status = 304 }, "HTTP/1.1 304 Status\r\n\r\n"),
        Exchange(
            "declared length", response("abc") { $0.framing = .declared(2) },
            "HTTP/1.1 200 Status\r\nContent-Length: 2\r\n\r\nabc"),
        Exchange(
            "chunked",
            response("abcdefghijklmnopqrstuvwxyz") {
                $0.framing = .chunked
                $0.chunkSize = 17
            },
            "HTTP/1.1 200 Status\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "11\r\nabcdefghijklmnopq\r\n9\r\nrstuvwxyz\r\n0\r\n\r\n"),
        Exchange(
            "empty chunked body", response("") { $0.framing = .chunked },
            "HTTP/1.1 200 Status\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Exchange(
            "until close", response("abc") { $0.framing = .untilClose }, "HTTP/1.1 200 Status\r\n\r\nabc",
            closes: true),
        Exchange(
            "Connection: close", response("abc") { $0.closesConnection = true },
            "HTTP/1.1 200 Status\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc", closes: true),
        Exchange(
            "interim responses", response("a") { $0.interim = [(100, []), (103, [OriginField("Link", "x")])] },
            "HTTP/1.1 100 Status\r\n\r\nHTTP/1.1 103 Status\r\nLink: x\r\n\r\n"
                + "HTTP/1.1 200 Status\r\nContent-Length: 1\r\n\r\na"),
        Exchange(
            "closed within the body", response("abcdef") { $0.failure = (4, .close) },
            "HTTP/1.1 200 Status\r\nContent-Length: 6\r\n\r\nabcd", closes: true),
        Exchange(
            "closed before the body", response("abcdef") { $0.failure = (0, .closeWithoutAlert) },
            "HTTP/1.1 200 Status\r\nContent-Length: 6\r\n\r\n", closes: true),
        Exchange(
            "closed after the body", response("abc") { $0.failure = (9, .close) },
            "HTTP/1.1 200 Status\r\nContent-Length: 3\r\n\r\nabc", closes: true),
        Exchange(
            "closed before the last chunk",
            response("abc") {
                $0.framing = .chunked
                $0.failure = (3, .close)
            }, "HTTP/1.1 200 Status\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", closes: true),
        Exchange(
            "silent within the body", response("abcdef") { $0.failure = (4, .silence) },
            "HTTP/1.1 200 Status\r\nContent-Length: 6\r\n\r\nabcd"),
        Exchange("raw bytes", .raw(Array("no HTTP\r\n".utf8)), "no HTTP\r\n"),
        Exchange("raw bytes and close", .close(after: Array("HTTP".utf8)), "HTTP", closes: true),
        Exchange("close", .close(), "", closes: true),
        Exchange("refused stream", .refuseStream, "", closes: true),
        Exchange("GOAWAY", .goAway, "", closes: true),
    ]

    @Test(arguments: exchanges)
    private func actionSendsExactlyItsBytesAndLeavesTheConnectionAsScripted(_ exchange: Exchange) async throws {
        let next = Array("HTTP/1.1 200 Status\r\nContent-Length: 1\r\n\r\n!".utf8)
        let origin = try await LoopbackOrigin { $0.target == "/next" ? .ok([0x21]) : exchange.action }

        let received = try await OriginClient.connect(to: origin.port) { client in
            client.send("GET / HTTP/1.1\r\n\r\n")
            if exchange.closes { return client.receive() }
            client.send("GET /next HTTP/1.1\r\n\r\n")
            return client.receive(exchange.bytes.count + next.count)
        }

        let expected = exchange.closes ? exchange.bytes : exchange.bytes + next
        #expect(received == expected, "\(String(decoding: received, as: UTF8.self).debugDescription)")
        #expect(origin.connectionCount == 1)
    }

    @Test func requestReceivedInTwoPartsIsRecordedWithItsHeadAndFields() async throws {
        let head =
            Array("GET /a%20b?c=\u{E9} HTTP/1.1\r\nHost: x\r\nX-A:\t 1\r\nx-a: ".utf8) + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A]
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        let response = "HTTP/1.1 200 Status\r\nContent-Length: 0\r\n\r\n"

        for cut in head.indices {
            let received = try await OriginClient.connect(to: origin.port) { client in
                client.send(Array(head[..<cut]))
                client.send(Array(head[cut...]))
                return client.text(response.utf8.count)
            }
            #expect(received == response, "cut at \(cut)")
        }

        #expect(origin.requests.count == head.count)
        for (number, request) in origin.requests.enumerated() {
            #expect(request.head == head)
            #expect(request.method == "GET" && request.target == "/a%20b?c=\u{E9}" && !request.isHTTP2)
            #expect(
                request.fields == [
                    OriginField("Host", "x"), OriginField("X-A", "1"), OriginField("x-a", bytes: [0xE9]),
                ])
            #expect(request.number == number && request.connection == number && request.indexOnConnection == 0)
        }
    }

    @Test func pipelinedRequestsAreAnsweredOneAfterTheOther() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { request in
            var response = OriginResponse(body: Array(request.target.utf8))
            if request.number == 0 { response.gate = gate }
            response.framing = .untilClose
            return request.number == 2 ? .response(response) : .raw(Array(request.target.utf8))
        }

        let received = try await OriginClient.connect(to: origin.port) { client in
            client.send((0...2).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined())
            return client.text()
        }

        #expect(received == "/0/1HTTP/1.1 200 Status\r\n\r\n/2")
        #expect(origin.requests.map(\.indexOnConnection) == [0, 1, 2])
        #expect(origin.bodyBytesWritten == 2)
    }

    @Test func gatesDelayTheHeadAndTheBody() async throws {
        let (gate, bodyGate) = (OriginGate(), OriginGate())
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: [0x61, 0x62])
            (response.gate, response.bodyGate) = (gate, bodyGate)
            return .response(response)
        }
        let head = "HTTP/1.1 200 Status\r\nContent-Length: 2\r\n\r\n"
        let other = "HTTP/1.1 200 Status\r\nContent-Length: 2\r\n\r\nab"

        async let received = OriginClient.connect(to: origin.port) { client in
            client.send("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            let first = client.text(head.utf8.count)
            let written = origin.bodyBytesWritten
            bodyGate.open()
            return (first, written, client.text(2 + other.utf8.count))
        }
        await origin.waitForRequests(1)
        #expect(origin.requests.count == 1, "the second request waits for the first response")
        gate.open()

        let (first, written, rest) = try await received
        #expect(first == head)
        #expect(written == 0)
        #expect(rest == "ab" + other)
    }

    @Test func pausesDelayTheChunksAfterTheFirst() async throws {
        let origin = try await LoopbackOrigin { _ in
            Self.response("abcd") {
                $0.framing = .untilClose
                $0.chunkSize = 1
                $0.pause = .milliseconds(20)
            }
        }
        let start = ContinuousClock.now

        let received = try await OriginClient.connect(to: origin.port) { client in
            client.send("GET / HTTP/1.1\r\n\r\n")
            return client.text()
        }

        #expect(received == "HTTP/1.1 200 Status\r\n\r\nabcd")
        #expect(start.duration(to: .now) >= .milliseconds(60))
    }

    @Test(arguments: [0x16, 0x00, 0x7F, 0xFF] as [UInt8])
    func firstByteOfAnotherProtocolIsRejectedOnlyOnRequest(_ first: UInt8) async throws {
        let strict = try await LoopbackOrigin(rejectsOtherProtocols: true) { _ in .ok([]) }
        let patient = try await LoopbackOrigin { _ in .close() }

        let rejection = try await OriginClient.connect(to: strict.port) { client in
            client.send([first, 3, 1])
            return client.text()
        }
        let closing = try await OriginClient.connect(to: patient.port) { client in
            client.send([first, 3, 1])
            client.send("\r\n\r\n")
            return client.text()
        }

        #expect(rejection == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(strict.requests.isEmpty)
        #expect(closing.isEmpty)
        #expect(patient.requests.count == 1)
    }
}
