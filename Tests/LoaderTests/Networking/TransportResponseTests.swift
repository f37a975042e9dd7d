import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportResponseTests {
    private let transport = CurlTransport(proxy: .none)

    @Test(arguments: [0, 1, 100, 20_000, 300_000])
    func responseBodyIsDeliveredUnchangedInEveryFraming(_ size: Int) async throws {
        let body = TransportFixture.bytes(size)
        for framing in [OriginResponse.Framing.length, .chunked, .untilClose] {
            for piece in [7_000, 1_000_000] {
                let origin = try await LoopbackOrigin { _ in
                    var response = OriginResponse(body: body)
                    response.framing = framing
                    response.chunkSize = piece
                    return .response(response)
                }

                let reply = try await TransportFixture.get(origin.url("/a.png"), with: transport)

                #expect(reply.head.status == 200)
                #expect(reply.body == body, "\(framing), pieces of \(piece)")
            }
        }
    }

    @Test(arguments: [200, 203, 204, 206, 300, 304, 404, 410, 418, 451, 500, 503, 599])
    func responseOfEveryFinalStatusIsReturned(_ status: Int) async throws {
        let origin = try await LoopbackOrigin { _ in
            .response(OriginResponse(status: status, fields: [OriginField("X-Number", "\(status)")]))
        }

        let reply = try await TransportFixture.get(origin.url(), with: transport)

        #expect(reply.head.status == status)
        #expect(reply.head.fields["X-Number"] == Array("\(status)".utf8))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsAreReturnedAndNotFollowed(_ status: Int) async throws {
        let origin = try await LoopbackOrigin { _ in .redirect(status, to: "/elsewhere") }

        let reply = try await TransportFixture.get(origin.url("/here"), with: transport)

        #expect(reply.head.status == status)
        #expect(reply.head.fields["Location"] == Array("/elsewhere".utf8))
        #expect(origin.requests.map(\.target) == ["/here"])
    }

    @Test func interimResponsesAndTheirFieldsAreNotDelivered() async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(fields: [OriginField("X-Final", "yes")], body: [1, 2, 3])
            let hint = OriginField("Link", "</style.css>; rel=preload")
            response.interim = [(100, []), (103, [hint]), (103, [OriginField("X-Hint", bytes: [0xE9])])]
            return .response(response)
        }

        let reply = try await TransportFixture.get(origin.url(), with: transport)

        #expect(reply.head.status == 200)
        #expect(reply.body == [1, 2, 3])
        #expect(reply.head.fields["X-Final"] == Array("yes".utf8))
        #expect(!reply.head.fields.contains("Link") && !reply.head.fields.contains("X-Hint"))
    }

    @Test func responseFieldValuesAreDeliveredByteForByte() async throws {
        let every = (UInt8(0x21)...0xFF).filter { $0 != 0x7F }
        let values: [[UInt8]] = [
            every, [0xE9], [0xC3, 0xA9], Array("größe".utf8), [0xFF, 0xFE], [0xF0, 0x9F, 0x98, 0x80], [0x80], [],
        ]
        let origin = try await LoopbackOrigin { _ in
            .ok([9], values.enumerated().map { OriginField("X-\($0.offset)", bytes: $0.element) })
        }

        // Two requests over one connection, so that the head of the second response is parsed too.
        for _ in 0..<2 {
            let reply = try await TransportFixture.get(origin.url(), with: transport)
            for (number, value) in values.enumerated() {
                #expect(reply.head.fields[lines: "X-\(number)"] == [value])
            }
            #expect(reply.body == [9])
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func bodyWithAContentCodingIsDeliveredEncoded() async throws {
        let coded: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0]
        let origin = try await LoopbackOrigin { _ in .ok(coded, [OriginField("Content-Encoding", "gzip")]) }

        let reply = try await TransportFixture.get(origin.url(), with: transport)

        #expect(reply.body == coded)
        #expect(reply.head.fields["Content-Encoding"] == Array("gzip".utf8))
    }

    @Test func responseHeadOf60KilobytesIsAccepted() async throws {
        let lines = (0..<60).map { OriginField("X-\($0)", String(repeating: "v", count: 1000)) }
        let origin = try await LoopbackOrigin { _ in .ok([1], lines) }

        let reply = try await TransportFixture.get(origin.url(), with: transport)

        #expect(lines.allSatisfy { reply.head.fields[lines: $0.name] == [$0.value] })
    }

    @Test func responseHeadOf500KilobytesIsAnError() async throws {
        let origin = try await LoopbackOrigin { _ in
            .ok([1], [OriginField("X", String(repeating: "v", count: 500_000))])
        }

        let error = await TransportFixture.failure(origin.url(), with: transport)

        #expect(error?.code == .transport)
    }

    @Test func repeatedResponseFieldLinesKeepTheirOrder() async throws {
        let lines = ["b", "a", "b", "c", "a"].enumerated().map { OriginField("X-\($0.element)", "\($0.offset)") }
        let origin = try await LoopbackOrigin { _ in .ok([], lines) }

        let reply = try await TransportFixture.get(origin.url(), with: transport)

        let seen = reply.head.fields.lines.filter { $0.name.hasPrefix("X-") }
        #expect(seen == lines.map { HeaderField($0.name, bytes: $0.value) })
    }
}
