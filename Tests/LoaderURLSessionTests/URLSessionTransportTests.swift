import Foundation
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import PlatformImageURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `URLSessionTransport`, an alternative to the default transport.
@Suite(.requirement("O5"), .timeLimit(.minutes(30))) struct URLSessionTransportTests {
    private let transport = URLSessionTransport()

    /// No timeouts, so that tests on a busy machine take longer instead of failing.
    private static let patient: TransportTimeouts = {
        var timeouts = TransportTimeouts()
        timeouts.connect = nil
        timeouts.idle = nil
        return timeouts
    }()

    private func send(
        _ url: String, fields: HeaderFields = [:], timeouts: TransportTimeouts = URLSessionTransportTests.patient
    ) async throws -> HTTPResponse {
        try await transport.send(
            HTTPRequest(url: url, fields: fields), trust: TrustSettings(), timeouts: timeouts)
    }

    private func get(
        _ url: String, fields: HeaderFields = [:], timeouts: TransportTimeouts = URLSessionTransportTests.patient
    ) async throws -> (head: ResponseHead, body: [UInt8]) {
        let response = try await send(url, fields: fields, timeouts: timeouts)
        var body: [UInt8] = []
        for try await chunk in response.body { body += chunk }
        return (response.head, body)
    }

    private func failure(
        _ url: String, fields: HeaderFields = [:], timeouts: TransportTimeouts = URLSessionTransportTests.patient
    ) async -> LoadError? {
        do {
            _ = try await get(url, fields: fields, timeouts: timeouts)
            return nil
        } catch {
            return error as? LoadError
        }
    }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    @Test(arguments: [0, 1, 20_000, 3_000_000])
    func bodyIsDeliveredUnchangedInEveryFraming(_ size: Int) async throws {
        for framing in [OriginResponse.Framing.length, .chunked, .untilClose] {
            let origin = try await LoopbackOrigin { _ in
                var response = OriginResponse(fields: [OriginField("X-A", "1")], body: Self.bytes(size))
                response.framing = framing
                return .response(response)
            }

            let reply = try await get(origin.url())

            #expect(reply.head.status == 200)
            #expect(reply.head.fields["X-A"] == Array("1".utf8))
            #expect(reply.body == Self.bytes(size))
        }
    }

    @Test func requestContainsTheFieldsOfTheCallerAndAcceptEncodingIdentity() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([]) }

        _ = try await get(origin.url("/a?b=c"), fields: ["X-One": "1", "If-None-Match": "\"x\""])
        let request = try #require(origin.requests.first)

        #expect(request.method == "GET")
        #expect(request.target == "/a?b=c")
        #expect(request["X-One"] == "1")
        #expect(request["If-None-Match"] == "\"x\"")
        #expect(request["Accept-Encoding"] == "identity", "an identity body needs no decoding")
        #expect(request["Cookie"] == nil)
    }

    // `hello` compressed with gzip.
    private static let coded = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==").map { Array($0) } ?? []

    @Test func bodyWithAContentCodingIsDecodedAndItsCodingFieldsAreRemoved() async throws {
        let origin = try await LoopbackOrigin { _ in
            .ok(Self.coded, [OriginField("Content-Encoding", "gzip"), OriginField("Accept-Ranges", "bytes")])
        }

        let reply = try await get(origin.url())

        #expect(reply.body == Array("hello".utf8))
        #expect(!reply.head.fields.contains("Content-Encoding"))
        #expect(!reply.head.fields.contains("Content-Length"))
        #expect(reply.head.fields[lines: "Accept-Ranges"] == [Array("none".utf8)])
    }

    @Test func loaderDoesNotDecodeABodyThatURLSessionHasDecoded() async throws {
        let origin = try await LoopbackOrigin { _ in .ok(Self.coded, [OriginField("Content-Encoding", "gzip")]) }
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        configuration.idleTimeout = nil
        let loader = try ImageLoader(configuration: configuration, transport: transport)

        let data = try await loader.data(for: DataRequest(url: origin.url()))

        #expect(data.bytes == Array("hello".utf8))
    }

    @Test func redirectsAreReturnedAndNotFollowed() async throws {
        let origin = try await LoopbackOrigin { _ in .redirect(to: "/elsewhere") }

        let reply = try await get(origin.url())

        #expect(reply.head.status == 302)
        #expect(reply.head.fields["Location"] == Array("/elsewhere".utf8))
        #expect(origin.requests.count == 1)
    }

    @Test(arguments: [200, 204, 206, 304, 401, 404, 407, 500, 503])
    func responseOfAnyStatusIsReturned(_ status: Int) async throws {
        let origin = try await LoopbackOrigin { _ in
            let fields = [OriginField("WWW-Authenticate", "Basic realm=\"x\"")]
            return .response(
                OriginResponse(status: status, fields: fields, body: status == 304 || status == 204 ? [] : [1]))
        }

        let reply = try await get(origin.url())

        #expect(reply.head.status == status)
        #expect(reply.body == (status == 304 || status == 204 ? [] : [1]))
        #expect(origin.requests.count == 1)
    }

    @Test func cacheableResponseIsNotCachedByURLSession() async throws {
        let origin = try await LoopbackOrigin { .ok([UInt8($0.number)], [OriginField("Cache-Control", "max-age=100")]) }

        let replies = [try await get(origin.url()).body, try await get(origin.url()).body]

        #expect(replies == [[0], [1]])
    }

    @Test func cookiesOfAResponseAreNeitherStoredNorSent() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([], [OriginField("Set-Cookie", "a=b; Path=/")]) }

        for _ in 0..<2 { _ = try await get(origin.url()) }

        #expect(origin.requests.allSatisfy { $0["Cookie"] == nil })
    }

    @Test(arguments: [0, 1, 500]) func truncatedBodyIsAnError(_ cut: Int) async throws {
        for framing in [OriginResponse.Framing.length, .chunked] {
            let origin = try await LoopbackOrigin { _ in
                var response = OriginResponse(body: Self.bytes(1_000))
                response.framing = framing
                response.failure = (cut, .close)
                return .response(response)
            }

            #expect(await failure(origin.url())?.code == .transport, "\(framing)")
        }
    }

    // A truncated response head is not tested: Foundation then ends the process, as the documentation warns.
    @Test func connectionClosedWithoutAResponseIsAnError() async throws {
        let origin = try await LoopbackOrigin { _ in .close() }

        #expect(await failure(origin.url())?.code == .transport)
    }

    @Test func interimResponsesAreNotDelivered() async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: [1])
            response.interim = [(103, [OriginField("Link", "x")]), (102, [])]
            return .response(response)
        }

        let reply = try await get(origin.url())

        #expect(reply.head.status == 200)
        #expect(!reply.head.fields.contains("Link"))
        #expect(reply.body == [1])
    }

    @Test func requestToASilentServerFailsAfterTheIdleTimeout() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        var timeouts = TransportTimeouts()
        timeouts.idle = .milliseconds(10)

        let error = await failure(origin.url(), timeouts: timeouts)
        #expect(error?.code == .transport)
        #expect(error?.isTimeout == true)
        await origin.waitForClosedConnections(origin.connectionCount)
    }

    @Test func requestToASilentServerFailsAfterTheTotalTimeout() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        var timeouts = TransportTimeouts()
        timeouts.idle = nil
        timeouts.total = .milliseconds(10)

        let error = await failure(origin.url(), timeouts: timeouts)
        #expect(error?.code == .transport)
        #expect(error?.isTimeout == true)
        await origin.waitForClosedConnections(origin.connectionCount)
    }

    @Test(.requirement("O59")) func cancellingARequestClosesItsConnection() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        let task = Task { try await send(origin.url()) }
        await origin.waitForRequests(1)

        task.cancel()

        await #expect(throws: LoadError.cancelled()) { _ = try await task.value }
        await origin.waitForClosedConnections(1)
    }

    @Test func requestCancelledAtAnyTimeReturnsItsBodyOrFailsWithCancelled() async throws {
        let origin = try await LoopbackOrigin { _ in .ok(Self.bytes(100_000)) }
        for round in 0..<60 {
            let task = Task { try await get(origin.url()).body.count }
            for _ in 0..<round { await Task.yield() }
            task.cancel()

            switch await task.result {
            case .success(let count): #expect(count == 100_000)
            case .failure(let error): #expect((error as? LoadError)?.code == .cancelled)
            }
        }
    }

    @Test func releasingAnUnreadBodyClosesTheConnection() async throws {
        let gate = OriginGate()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: [1, 2, 3])
            response.framing = .declared(4)
            response.bodyGate = gate
            return .response(response)
        }

        _ = try await send(origin.url())

        await origin.waitForClosedConnections(1)
        gate.open()
    }

    @Test func exceedingMaxUnreadBytesEndsTheResponseWithBodyTooLarge() async throws {
        // The body never ends, so only cancelling the request closes the connection.
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: Self.bytes(1_000_000))
            response.failure = (500_000, .silence)
            return .response(response)
        }
        let transport = URLSessionTransport(maxUnreadBytes: 10_000)
        let response = try await transport.send(
            HTTPRequest(url: origin.url()), trust: TrustSettings(), timeouts: Self.patient)

        // The test reads the body only after the transport has closed the connection.
        await origin.waitForClosedConnections(1)

        await #expect(throws: LoadError.bodyTooLarge("")) { for try await _ in response.body {} }
    }

    @Test(.requirement("O58")) func requestWithTrustSettingsIsRejected() async throws {
        var settings = [TrustSettings(), TrustSettings(), TrustSettings()]
        settings[0].trustAnySSLCertificate = true
        settings[1].trustedHosts = ["example.com"]
        settings[2].additionalTrustRoots = [try OriginCertificate().pem]
        for trust in settings {
            #expect(throws: LoadError.configuration("")) { try transport.validate(trust) }
            await #expect(throws: LoadError.configuration("")) {
                _ = try await transport.send(
                    HTTPRequest(url: "http://127.0.0.1/"), trust: trust, timeouts: TransportTimeouts())
            }
        }
        var configuration = ImageLoader.Configuration()
        configuration.trustAnySSLCertificate = true
        #expect(throws: LoadError.configuration("")) {
            _ = try ImageLoader(configuration: configuration, transport: transport)
        }
        try transport.validate(TrustSettings())
    }

    @Test func requestToAServerWithAnUntrustedCertificateFailsWithTLSError() async throws {
        let origin = try await LoopbackOrigin(certificate: OriginCertificate()) { _ in .ok([1]) }

        #expect(await failure(origin.url())?.code == .tls)
        #expect(origin.requests.isEmpty)
    }

    @Test(arguments: ["", "x", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http:///a", "http://[::1/"])
    func invalidURLIsAnErrorAndDoesNotTrap(_ url: String) async {
        #expect(await failure(url)?.code == .configuration)
    }

    @Test(arguments: ["a\r\nX-B: 1", "a\0", "a\n"])
    func fieldValueWithALineBreakOrNULIsRejected(_ value: String) async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }

        #expect(await failure(origin.url(), fields: ["X-A": value])?.code == .configuration)
        #expect(origin.requests.isEmpty)
    }
}
