#if AsyncHTTPClient
import PlatformImageLoopbackOrigin
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportFailureTests {
    private let transport = AsyncHTTPClientTransport(proxy: .none)

    /// A head, what follows it, and the body that the whole stands for; nil when it is broken (RFC 9112 §6.3, §8).
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

    @Test func aRefusedConnectionIsCalledOne() async throws {
        // Nobody listens at the port of tcpmux.
        let error = await #expect(throws: LoadError.self) {
            try await TransportFixture.get("http://127.0.0.1:1/", with: transport)
        }

        #expect(error?.code == .transport)
        #expect(error?.message == "Connection refused (errno \(ECONNREFUSED))")
    }

    @Test(arguments: wires.indices) func whatIsCutOrContradictsItselfIsAnError(_ number: Int) async throws {
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
        default: Issue.record("\(wire.debugDescription) gives \(result)")
        }
        #expect(origin.requests.count == 1)
    }

    @Test func aBodyIsAnErrorWhereverItIsCut() async throws {
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
                #expect(got == Array(body[..<cut]), "what came before the cut is handed on")
            }
        }
    }

    @Test func aServerThatNeverAnswersEndsByTheIdleTimeout() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        var timeouts = TransportFixture.patient
        timeouts.idle = .milliseconds(100)

        let error = await TransportFixture.failure(origin.url(), with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        await origin.waitForClosedConnections(1)
    }

    @Test(arguments: [0, 1, 5000]) func aBodyThatStopsEndsByTheIdleTimeout(_ sent: Int) async throws {
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

    @Test func aSlowBodyThatNeverStopsForLongOutlivesTheIdleTimeout() async throws {
        // A busy machine may stop the body for longer than the pause, so there is a longer try after it. With a timer
        // that counts from the beginning every one of them would fail.
        for idle in [250, 1_000, 4_000, 16_000, 64_000] {
            let origin = try await LoopbackOrigin { _ in
                var response = OriginResponse(body: TransportFixture.bytes(16))
                response.pieceSize = 1
                response.pause = .milliseconds(idle / 8)
                return .response(response)
            }
            var timeouts = TransportFixture.patient
            timeouts.idle = .milliseconds(idle)

            let reply = try? await TransportFixture.get(origin.url(), with: transport, timeouts: timeouts)

            if reply?.body == TransportFixture.bytes(16) { return }
        }
        Issue.record("a body that takes longer than the idle timeout has never arrived")
    }

    @Test func theTotalTimeoutEndsABodyThatGoesOnForEver() async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: TransportFixture.bytes(100_000))
            response.pieceSize = 1
            response.pause = .milliseconds(5)
            return .response(response)
        }
        var timeouts = TransportFixture.patient
        timeouts.total = .seconds(1)

        let error = await TransportFixture.failure(origin.url(), with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        await origin.waitForClosedConnections(origin.connectionCount)
    }

    @Test func aHandshakeThatIsNotAnsweredEndsByTheConnectTimeout() async throws {
        // The greeting of TLS is no request, so the origin waits for the rest of it.
        let origin = try await LoopbackOrigin { _ in .ok([]) }
        var timeouts = TransportFixture.patient
        timeouts.connect = .milliseconds(200)
        let url = "https://127.0.0.1:\(origin.port)/"

        let error = await TransportFixture.failure(url, with: transport, timeouts: timeouts)

        #expect(error?.code == .transport)
        #expect(origin.requests.isEmpty)
    }

    @Test func aPortThatNobodyListensOnFailsAtOnce() async throws {
        // A port of a service that nobody runs any more; one that was free a moment ago may be taken by another test.
        let url = "http://127.0.0.1:1/"

        // Without a limit for connecting: were it tried again until then, this would never end.
        let error = await TransportFixture.failure(url, with: transport)

        #expect(error?.code == .transport)
    }

    @Test(arguments: [
        "http://", "://x", "ftp://127.0.0.1/", "http:///a", "", "http://127.0.0.1:65536/", "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/", "http://[::1]:70000/", "http://127.0.0.1:x/", "http://127.0.0.1:-1/", "http://a b/",
        "http+unix://%2Ftmp%2Fsocket/", "unix:///tmp/socket", "https+unix://%2Ftmp%2Fsocket/", "http://[::1/",
    ])
    func anAddressThatIsNoneIsAnErrorAndNotATrap(_ url: String) async {
        let error = await TransportFixture.failure(url, with: transport)

        #expect(error?.code == .configuration)
    }
}
#endif
