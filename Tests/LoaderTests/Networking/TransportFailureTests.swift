import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite(.timeLimit(.minutes(30))) struct TransportFailureTests {
    private let transport = CurlTransport(proxy: .none)

    /// The bytes of a response and the expected body; a nil body means that the response is not valid (RFC 9112 §6.3,
    /// §8).
    private static let wires: [(wire: String, body: String?)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello", nil),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello", nil),
        ("HTTP/1.1 200 OK\r\n\r\nhello", "hello"),
        ("HTTP/1.0 200 OK\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n", "hello"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", nil),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", nil),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", nil),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nhello\r\n0\r\n\r\n", nil),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", nil),
        ("HTTP/1.1 204 No\r\n\r\n", ""),
        ("HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\nContent-Le", nil),
        ("HTTP/1.1 200 OK\r\n", nil),
        ("HTTP/1.1 103 Early\r\n\r\n", nil),
        ("HTTP/1.1 xyz\r\n\r\n", nil),
        ("SSH-2.0-OpenSSH\r\n", nil),
        ("", nil),
    ]

    @Test func refusedConnectionIsReportedWithItsErrno() async throws {
        // No process listens on port 1 (tcpmux).
        let error = await #expect(throws: LoadError.self) {
            try await TransportFixture.get("http://127.0.0.1:1/", with: transport)
        }

        #expect(error?.code == .transport)
        #expect(error?.message == "Connection refused (errno \(ECONNREFUSED))")
    }

    @Test(arguments: wires.indices)
    func validFramingDeliversTheBodyAndTruncatedOrInvalidFramingIsAnError(_ number: Int) async throws {
        let (wire, body) = Self.wires[number]
        let origin = try await LoopbackOrigin { _ in .close(after: Array(wire.utf8)) }

        let result: Result<[UInt8], any Error>
        do {
            result = .success(try await TransportFixture.get(origin.url(), with: transport).body)
        } catch {
            result = .failure(error)
        }

        switch (result, body) {
        case (.success(let got), let body?): #expect(got == Array(body.utf8))
        case (.failure(let error), nil): #expect((error as? LoadError)?.code == .transport)
        default: Issue.record("\(wire.debugDescription) returns \(result)")
        }
        #expect(origin.requests.count == 1)
    }

    @Test func bodyTruncatedAtAnyLengthDeliversItsBytesThenFails() async throws {
        let body = TransportFixture.bytes(40)
        for framing in [OriginResponse.Framing.length, .chunked] {
            for cut in body.indices {
                let origin = try await LoopbackOrigin { _ in
                    var response = OriginResponse(body: body)
                    response.framing = framing
                    response.failure = (cut, .close)
                    return .response(response)
                }

                let response = try await transport.send(
                    HTTPRequest(url: origin.url()), trust: TrustSettings(), timeouts: TransportFixture.patient)
                var got: [UInt8] = []
                var error: LoadError?
                do {
                    for try await chunk in response.body { got += chunk }
                } catch let failure {
                    error = failure as? LoadError
                }

                #expect(error?.code == .transport, "\(framing) cut at \(cut)")
                #expect(got == Array(body[..<cut]), "the bytes before the cut are delivered")
            }
        }
    }

    @Test func requestToASilentServerFailsAfterTheIdleTimeout() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        var timeouts = TransportFixture.patient
        timeouts.idle = .milliseconds(100)

        let error = await TransportFixture.failure(origin.url(), with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        await origin.waitForClosedConnections(1)
    }

    @Test(arguments: [0, 1, 5000]) func stalledBodyFailsAfterTheIdleTimeout(_ sent: Int) async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: TransportFixture.bytes(10_000))
            response.failure = (sent, .silence)
            return .response(response)
        }
        var timeouts = TransportFixture.patient
        timeouts.idle = .milliseconds(100)

        let error = await TransportFixture.failure(origin.url(), with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        await origin.waitForClosedConnections(1)
    }

    @Test func slowBodyWithShortPausesDoesNotReachTheIdleTimeout() async throws {
        // On a busy machine, a pause may exceed the idle timeout, so the test repeats with longer timeouts. With a
        // timer that starts with the request, every repetition would fail.
        for idle in [250, 1_000, 4_000, 16_000, 64_000] {
            let origin = try await LoopbackOrigin { _ in
                var response = OriginResponse(body: TransportFixture.bytes(16))
                response.chunkSize = 1
                response.pause = .milliseconds(idle / 8)
                return .response(response)
            }
            var timeouts = TransportFixture.patient
            timeouts.idle = .milliseconds(idle)

            let reply = try? await TransportFixture.get(origin.url(), with: transport, timeouts: timeouts)

            if reply?.body == TransportFixture.bytes(16) { return }
        }
        Issue.record("no body that takes longer than the idle timeout was received")
    }

    @Test func slowBodyFailsAfterTheTotalTimeout() async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: TransportFixture.bytes(100_000))
            response.chunkSize = 1
            response.pause = .milliseconds(5)
            return .response(response)
        }
        var timeouts = TransportFixture.patient
        timeouts.total = .seconds(1)

        let error = await TransportFixture.failure(origin.url(), with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        await origin.waitForClosedConnections(origin.connectionCount)
    }

    @Test func unansweredTLSHandshakeFailsAfterTheConnectTimeout() async throws {
        // The TLS ClientHello is not an HTTP request, so the origin waits for more bytes.
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        var timeouts = TransportFixture.patient
        timeouts.connect = .milliseconds(200)
        let url = "https://127.0.0.1:\(origin.port)/"

        let error = await TransportFixture.failure(url, with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        #expect(origin.requests.isEmpty)
    }

    @Test func requestToAClosedPortFailsWithoutRetry() async throws {
        // Port 1 is unused; a port that was free before may be in use by another test now.
        let url = "http://127.0.0.1:1/"

        // There is no connect timeout, so the test would not end if connecting were retried until the timeout.
        let error = await TransportFixture.failure(url, with: transport)

        #expect(error?.code == .transport)
    }

    @Test(arguments: [
        "http://", "://x", "ftp://127.0.0.1/", "http:///a", "", "http://127.0.0.1:65536/", "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/", "http://[::1]:70000/", "http://127.0.0.1:x/", "http://127.0.0.1:-1/", "http://a b/",
        "http+unix://%2Ftmp%2Fsocket/", "unix:///tmp/socket", "https+unix://%2Ftmp%2Fsocket/", "http://[::1/",
    ])
    func invalidURLIsAnErrorAndDoesNotTrap(_ url: String) async {
        let error = await TransportFixture.failure(url, with: transport)

        #expect(error?.code == .configuration)
    }
}
