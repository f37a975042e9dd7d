import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Limits for untrusted origins.
@Suite(.timeLimit(.minutes(30))) struct ConnectionGuardTests {
    private func get(
        _ url: String, to addresses: [String] = [], with transport: CurlTransport,
        trust: TrustSettings = TrustSettings()
    ) async -> Result<[UInt8], LoadError> {
        do {
            let response = try await transport.send(
                HTTPRequest(url: url), to: addresses, trust: trust, timeouts: TransportFixture.patient)
            return .success(try await response.body.reduce(into: [UInt8]()) { $0 += $1 })
        } catch {
            return .failure(error as? LoadError ?? .configuration("an error of another type"))
        }
    }

    @Test(arguments: [false, true])
    func addressThatIsNotAdmittedReceivesNoConnection(_ isEncrypted: Bool) async throws {
        let certificate = isEncrypted ? try OriginCertificate(hosts: ["a.test"]) : nil
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in .ok([1]) }
        let asked = Locked<[String]>([])
        let transport = CurlTransport(
            connectionGuard: ConnectionGuard { address in
                asked.update { $0.append(address) }
                return address == "127.0.0.9"
            })

        for (url, addresses) in [(origin.url(host: "a.test"), ["127.0.0.1"]), (origin.url(), [])] {
            guard case .failure(let error) = await get(url, to: addresses, with: transport) else {
                Issue.record("the request was sent")
                continue
            }
            #expect(error.code == .refused)
            #expect(error.reason == .addressRefused)
        }

        #expect(asked.value == ["127.0.0.1", "127.0.0.1"])
        #expect(origin.connectionCount == 0)
    }

    @Test func guardIsAskedOncePerConnectionAndOnlyHTTP1IsOffered() async throws {
        let certificate = try OriginCertificate(hosts: ["a.test"])
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in .ok([1]) }
        let asked = Locked(0)
        let transport = CurlTransport(
            connectionGuard: ConnectionGuard { _ in
                asked.update { $0 += 1 }
                return true
            })
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]

        for _ in 0..<5 {
            let url = origin.url(host: "a.test")
            #expect(try await get(url, to: ["127.0.0.1"], with: transport, trust: trust).get() == [1])
        }

        #expect(asked.value == 1)
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.allSatisfy { !$0.isHTTP2 && $0["Host"] == "a.test:\(origin.port)" })
    }

    @Test func addressesAreTriedInOrderUntilAConnectionIsMade() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        let transport = CurlTransport(connectionGuard: ConnectionGuard { $0.hasPrefix("127.") })
        let url = origin.url(host: "a.test")

        #expect(try await get(url, to: ["127.0.0.7", "127.0.0.8", "127.0.0.1"], with: transport).get() == [1])
        guard case .failure(let failed) = await get(url, to: ["127.0.0.7", "127.0.0.8"], with: transport) else {
            Issue.record("the request was sent")
            return
        }
        #expect(failed.reason == .connectionRefused)
        // A refused address is not followed by the next one.
        guard case .failure(let refused) = await get(url, to: ["10.0.0.1", "127.0.0.1"], with: transport) else {
            Issue.record("the request was sent")
            return
        }
        #expect(refused.code == .refused)
        #expect(origin.requests.count == 1)
    }

    @Test func pinnedConnectionIsNotReusedForAnotherAddress() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        let transport = CurlTransport(connectionGuard: ConnectionGuard { _ in true })
        let url = origin.url(host: "a.test")

        #expect(try await get(url, to: ["127.0.0.1"], with: transport).get() == [1])
        let other = await get(url, to: ["127.0.0.7"], with: transport)

        #expect((try? other.get()) == nil, "the connection to 127.0.0.1 was used")
        #expect(try await get(url, to: ["127.0.0.1"], with: transport).get() == [1])
        #expect(origin.connectionCount == 1)
    }

    @Test func limitsOfHeadsAndFramingAreThoseOfTheGuard() async throws {
        func head(_ bytes: Int) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX: \(String(repeating: "v", count: bytes))\r\n\r\nx"
        }
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let interim = "HTTP/1.1 103 Early\r\n\r\n"
        let cases: [(String, LoadError.TransportReason?)] = [
            (head(32_000), nil), (head(33_000), .headTooLarge),
            (String(repeating: interim, count: 7) + head(1), nil),
            (String(repeating: interim, count: 8) + head(1), .tooManyHeads),
            (chunked + "1;\(String(repeating: "v", count: 4_000))\r\nx\r\n0\r\n\r\n", nil),
            (chunked + "1;\(String(repeating: "v", count: 5_000))\r\nx\r\n0\r\n\r\n", .framingTooLarge),
            (
                chunked + "0\r\n" + String(repeating: "X: \(String(repeating: "v", count: 997))\r\n", count: 32)
                    + "\r\n", nil
            ),
            (
                chunked + "0\r\n" + String(repeating: "X: \(String(repeating: "v", count: 997))\r\n", count: 33)
                    + "\r\n",
                .framingTooLarge
            ),
            (chunked + String(repeating: "1\r\nx\r\n", count: 50_000) + "0\r\n\r\n", nil),
            (
                chunked + String(repeating: "1;\(String(repeating: "v", count: 100))\r\nx\r\n", count: 3_000),
                .framingTooLarge
            ),
        ]
        for (number, (wire, reason)) in cases.enumerated() {
            let origin = try await LoopbackOrigin { _ in .close(after: Array(wire.utf8)) }
            let transport = CurlTransport(connectionGuard: ConnectionGuard { _ in true })

            switch await get(origin.url(), with: transport) {
            case .success: #expect(reason == nil, "case \(number)")
            case .failure(let error): #expect(error.reason == reason, "case \(number): \(error)")
            }
        }
    }

    @Test func proxyOfTheEnvironmentIsNotUsedAndAPinThroughAProxyIsRejected() async throws {
        let proxied = CurlTransport(proxy: .server(ProxyServer(host: "127.0.0.1", port: 1)))

        guard case .failure(let error) = await get("http://a.test/", to: ["127.0.0.1"], with: proxied) else {
            Issue.record("the request was sent")
            return
        }
        #expect(error.code == .configuration)
    }
}
