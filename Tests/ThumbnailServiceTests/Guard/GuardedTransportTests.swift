import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Blocked addresses over real sockets: only 127.0.0.1 may be reached; a server on 127.0.0.2 must not receive a
/// connection.
@Suite struct GuardedTransportTests {
    private typealias Resolver = GuardFixture.ScriptedResolver

    @Test(.requirement("SV1")) func dnsReboundHostNameIsRefusedWithoutAConnection() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        let inside = try await LoopbackOrigin(host: "127.0.0.2", port: origin.port) { _ in .ok([2]) }
        let resolver = Resolver(["127.0.0.1"], ["127.0.0.2"])
        let transport = GuardedTransport(policy: try GuardFixture.policy(port: origin.port), resolver: resolver)
        let url = origin.url(host: "rebind.test")

        let first = await GuardFixture.get(url, with: transport)
        let second = await GuardFixture.get(url, with: transport)

        #expect(first == .success([1]))
        #expect(second.reason == .addressRefused)
        #expect(resolver.names == ["rebind.test", "rebind.test"])
        #expect(inside.connectionCount == 0)
        #expect(origin.connectionCount == 1)
        await origin.stop()
        await inside.stop()
    }

    @Test(.requirement("SV1")) func hostNameWithAnyBlockedAddressIsRefused() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        for answers in [["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "::ffff:10.0.0.1"]] {
            let transport = GuardedTransport(
                policy: try GuardFixture.policy(port: origin.port), resolver: Resolver(answers))

            #expect(await GuardFixture.get(origin.url(host: "two.test"), with: transport).reason == .addressRefused)
        }
        #expect(origin.connectionCount == 0)
        await origin.stop()
    }

    /// The system's resolver returns 127.0.0.1 for the requested name; the checked address is 127.0.0.3.
    @Test(.requirement("SV1")) func connectionUsesTheAddressThatWasCheckedInTheLookup() async throws {
        var vetted = try await LoopbackOrigin(host: "127.0.0.3") { _ in .ok([3]) }
        var pair = try? await LoopbackOrigin(port: vetted.port) { _ in .ok([1]) }
        for _ in 0..<20 where pair == nil {
            // The port of the first server may be in use on 127.0.0.1, so the test tries further ports.
            await vetted.stop()
            vetted = try await LoopbackOrigin(host: "127.0.0.3") { _ in .ok([3]) }
            pair = try? await LoopbackOrigin(port: vetted.port) { _ in .ok([1]) }
        }
        let system = try #require(pair)
        let transport = GuardedTransport(
            policy: try GuardFixture.policy(port: vetted.port, exceptions: ["127.0.0.3"]),
            resolver: Resolver(["127.0.0.3"]))

        let body = await GuardFixture.get(vetted.url("/a?b", host: "LOCALHOST."), with: transport)

        #expect(body == .success([3]))
        #expect(vetted.requests.first?["Host"] == "localhost:\(vetted.port)")
        #expect(vetted.requests.first?.target == "/a?b")
        #expect(system.connectionCount == 0)
        await vetted.stop()
        await system.stop()
    }

    /// The transport checks the address of each connection too, before it connects, not only the addresses of the
    /// look-up.
    @Test(.requirement("SV1"), arguments: [false, true])
    func connectedPeerWithABlockedAddressReceivesNoRequest(isEncrypted: Bool) async throws {
        let certificate = isEncrypted ? try OriginCertificate(hosts: ["a.test"]) : nil
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: true) { _ in .ok([1]) }
        let transport = CurlTransport(connectionGuard: ConnectionGuard { $0 == "127.0.0.9" })
        var trust = TrustSettings()
        trust.trustAnySSLCertificate = true

        await #expect(throws: LoadError.refused("")) {
            _ = try await transport.send(
                HTTPRequest(url: origin.url(host: "a.test")), to: ["127.0.0.1"], trust: trust,
                timeouts: GuardFixture.noTimeouts)
        }

        #expect(origin.requests.isEmpty)
        #expect(origin.connectionCount == 0)
        await origin.stop()
    }

    @Test func failedConnectionIsFollowedByAConnectionToTheNextAddressOfTheHostName() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        let transport = GuardedTransport(
            policy: try GuardFixture.policy(port: origin.port, exceptions: ["127.0.0.0/8"]),
            resolver: Resolver(["127.0.0.7", "127.0.0.8", "127.0.0.1"], ["127.0.0.7"], []))
        let url = origin.url(host: "three.test")

        #expect(await GuardFixture.get(url, with: transport) == .success([1]))
        #expect(await GuardFixture.get(url, with: transport).reason == .originFailed)
        #expect(await GuardFixture.get(url, with: transport).reason == .originFailed)
        await origin.stop()
    }

    @Test(arguments: [false, true])
    func certificateIsVerifiedAgainstTheHostNameOfTheURL(speaksHTTP2: Bool) async throws {
        let certificate = try OriginCertificate(hosts: ["pinned.test"], coversLoopback: false)
        let origin = try await LoopbackOrigin(certificate: certificate, speaksHTTP2: speaksHTTP2) { _ in .ok([1]) }
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]
        let transport = GuardedTransport(
            policy: try GuardFixture.policy(port: origin.port), resolver: Resolver(["127.0.0.1"]))

        let right = await GuardFixture.get(origin.url(host: "pinned.test"), with: transport, trust: trust)
        let wrong = await GuardFixture.get(origin.url(host: "other.test"), with: transport, trust: trust)
        let literal = await GuardFixture.get(origin.url(), with: transport, trust: trust)

        #expect(right == .success([1]))
        #expect(wrong.reason == .originFailed)
        #expect(literal.reason == .originFailed)
        #expect(origin.requests.count == 1)
        // HTTP/2 is used for trusted origins only: libcurl 7.88 to 8.5 read empty DATA frames without a limit.
        #expect(origin.requests.first?.isHTTP2 == false)
        await origin.stop()
    }

    @Test(.requirement("SV2", "SV3", "SV4")) func redirectToABlockedAddressIsRefused() async throws {
        let targets =
            AddressTable.blocked.map { "\(SourceHost.address($0.first))" }
            + [
                "127.0.0.2", "127.2", "0177.0.0.2", "0x7f.2", "2130706434", "[::ffff:7f00:2]", "[::ffff:127.0.0.2]",
                "[64:ff9b::127.0.0.2]", "[2002:7f00:2::]", "127.0.0.2.", "inside.test", "inside.test.",
            ]
        let origin = try await LoopbackOrigin { request in
            guard let number = Int(request.target.dropFirst()), targets.indices.contains(number) else {
                return .ok([1])
            }
            let port = request["Host"]?.split(separator: ":").last ?? ""
            return .redirect(to: "http://\(targets[number]):\(port)/")
        }
        let inside = try await LoopbackOrigin(host: "127.0.0.2", port: origin.port) { _ in .ok([2]) }
        let transport = GuardedTransport(
            policy: try GuardFixture.policy(port: origin.port), resolver: Resolver(["127.0.0.2"]))
        let loader = try GuardFixture.loader(transport)
        #expect(await GuardFixture.load(origin.url("/fine"), by: loader) == .success([1]))

        for number in targets.indices {
            let result = await GuardFixture.load(origin.url("/\(number)"), by: loader)
            #expect(result.reason == .addressRefused, "\(targets[number])")
        }

        #expect(inside.connectionCount == 0)
        #expect(origin.requests.count == targets.count + 1)
        await origin.stop()
        await inside.stop()
    }

    @Test(.requirement("SV4")) func redirectToAForbiddenSchemeOrPortOrHostIsRefused() async throws {
        let origin = try await LoopbackOrigin { request in
            let locations = [
                "/scheme": "ftp://a.test/", "/port": "http://127.0.0.1:1/", "/host": "http://b.test/",
                "/user": "http://u:p@a.test/",
                "/circle": "/circle", "/on": "/fine",
            ]
            if let number = Int(request.target.dropFirst()) { return .redirect(to: "/\(number + 1)") }
            return locations[request.target].map { .redirect(to: $0) } ?? .ok([1])
        }
        let policy = try SourcePolicy(
            allow: ["127.0.0.1", "*.a.test"], ports: [origin.port, 80], exceptions: ["127.0.0.1"])
        let loader = try GuardFixture.loader(GuardedTransport(policy: policy, resolver: Resolver(["127.0.0.1"])))

        for (path, reason) in [
            ("/scheme", ServiceError.Reason.originFailed), ("/port", .portRefused), ("/host", .hostRefused),
            ("/user", .originFailed), ("/circle", .originFailed), ("/0", .originFailed), ("/on", nil), ("/fine", nil),
        ] {
            #expect(await GuardFixture.load(origin.url(path), by: loader).reason == reason, "\(path)")
        }
        #expect(origin.requests.filter { $0.target.dropFirst().first?.isNumber == true }.map(\.target).count == 6)
        await origin.stop()
    }

    @Test(.requirement("SV4")) func redirectFromHTTPSToHTTPIsRefused() async throws {
        let certificate = try OriginCertificate(hosts: ["a.test"])
        let plain = try await LoopbackOrigin { _ in .ok([1]) }
        let secure = try await LoopbackOrigin(certificate: certificate) { _ in .redirect(to: plain.url()) }
        let policy = try SourcePolicy(allow: ["*"], ports: [plain.port, secure.port], exceptions: ["127.0.0.1"])
        let transport = GuardedTransport(policy: policy, resolver: Resolver(["127.0.0.1"]))
        var trust = TrustSettings()
        trust.additionalTrustRoots = [certificate.pem]

        let result = await GuardFixture.get(secure.url(host: "a.test"), with: transport, trust: trust)

        #expect(result.reason == .schemeRefused)
        #expect(plain.connectionCount == 0)
        await plain.stop()
        await secure.stop()
    }

    @Test(.requirement("SV4")) func credentialsAreRemovedOnACrossOriginRedirect() async throws {
        let other = try await LoopbackOrigin { _ in .ok([1]) }
        let origin = try await LoopbackOrigin { _ in .redirect(to: other.url(host: "b.test")) }
        let policy = try SourcePolicy(allow: ["*"], ports: [origin.port, other.port], exceptions: ["127.0.0.1"])
        let loader = try GuardFixture.loader(GuardedTransport(policy: policy, resolver: Resolver(["127.0.0.1"])))

        let request = DataRequest(
            url: origin.url(host: "a.test"), fields: ["Authorization": "Basic YTpi", "Cookie": "a=b", "X-Own": "1"])
        _ = try await loader.data(for: request)

        #expect(origin.requests.first?["Authorization"] == "Basic YTpi")
        #expect(other.requests.first?["Authorization"] == nil)
        #expect(other.requests.first?["Cookie"] == nil)
        await origin.stop()
        await other.stop()
    }
}
