import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportProxyTests {
    private let proxy = ProxyServer(host: "proxy.example", port: 3128)

    @Test(arguments: [
        "localhost", "a.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]",
    ]) func loopbackHostsBypassTheProxy(_ host: String) throws {
        for isSecure in [false, true] {
            #expect(try ProxySetting.server(proxy).resolved().server(isSecure: isSecure, host: host) == nil)
        }
    }

    @Test(arguments: ["example.com", "127.0.0.1.example.com", "128.0.0.1", "localhost.example.com", "127.example.com"])
    func hostsOtherThanLoopbackUseTheProxy(_ host: String) throws {
        #expect(try ProxySetting.server(proxy).resolved().server(isSecure: true, host: host) == proxy)
        #expect(try ProxySetting.none.resolved().server(isSecure: true, host: host) == nil)
    }

    @Test func proxyEnvironmentVariablesSelectTheProxyForEachHost() throws {
        let variables = [
            "http_proxy": "http://u%40:p%3A@one:8080/", "HTTPS_PROXY": "two:81", "HTTP_PROXY": "http://evil",
            "no_proxy": "Example.com, .org internal",
        ]
        let resolved = ProxySetting.environment.resolved { variables[$0] }
        let one = ProxyServer(host: "one", port: 8080, credentials: .init(user: "u@", password: "p:"))

        #expect(try resolved.server(isSecure: false, host: "a.test") == one)
        #expect(try resolved.server(isSecure: true, host: "a.test") == ProxyServer(host: "two", port: 81))
        for host in ["example.com", "www.example.com", "a.org", "internal"] {
            #expect(try resolved.server(isSecure: true, host: host) == nil, "\(host)")
        }
        #expect(try resolved.server(isSecure: true, host: "notexample.com") != nil)
    }

    @Test func upperCaseHTTPProxyVariableIsIgnored() throws {
        let resolved = ProxySetting.environment.resolved { $0 == "HTTP_PROXY" ? "http://evil" : nil }

        #expect(try resolved.server(isSecure: false, host: "a.test") == nil)
    }

    @Test(arguments: [
        "socks5://h:1", "http://", "h:0", "h:65536", "h:x", "a b", "http://%zz@h:1", "h/path",
        "http://%+5@h:1", "http://u:%-0@h:1", "http://u:p%4@h:1",
    ])
    func invalidProxyVariableFailsRequestsToHostsThatUseTheProxy(_ text: String) {
        let resolved = ProxySetting.environment.resolved { $0 == "http_proxy" ? text : nil }

        #expect(throws: LoadError.configuration("")) { try resolved.server(isSecure: false, host: "a.test") }
        #expect(throws: Never.self) { try resolved.server(isSecure: false, host: "localhost") }
    }

    @Test func requestsAreTunnelledThroughTheProxyWithConnect() async throws {
        let origin = try await LoopbackOrigin { request in
            request.method == "CONNECT" ? .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) : .ok([5])
        }
        let server = ProxyServer(host: "127.0.0.1", port: origin.port, credentials: .init(user: "u", password: "p"))
        let transport = CurlTransport(proxy: .server(server))

        let reply = try await TransportFixture.get("http://origin.test/a", with: transport)

        #expect(reply.body == [5])
        #expect(origin.requests.map(\.target) == ["origin.test:80", "/a"])
        #expect(origin.requests[0]["Proxy-Authorization"] == "Basic dTpw")
        #expect(origin.requests[1]["Proxy-Authorization"] == nil)
    }
}
