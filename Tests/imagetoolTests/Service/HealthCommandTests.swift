import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import imagetool

/// `imagetool health` against a simulated service.
@Suite struct HealthCommandTests {
    private static func origin() async throws -> LoopbackOrigin {
        try await LoopbackOrigin { request in
            switch request.target {
            case "/health/live": .ok(Array("live\n".utf8))
            case "/moved": .redirect(to: "/health/live")
            case "/silent": .silence
            default: .response(OriginResponse(status: 503))
            }
        }
    }

    @Test func healthOfAHealthyServiceExitsWith0WithoutOutput() async throws {
        let origin = try await Self.origin()
        for arguments in [["--port", "\(origin.port)"], ["--url", origin.url("/health/live")]] {
            let run = try ToolRun(["health", "--timeout", "60"] + arguments)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(run.output.isEmpty && run.errors.isEmpty)
        }
        #expect(origin.requests.map(\.target) == ["/health/live", "/health/live"])
        await origin.stop()
    }

    @Test func healthOfAnUnhealthyOrUnreachableServiceExitsWith1AndPrintsAnError() async throws {
        let origin = try await Self.origin()
        let asked = [
            ["--url", origin.url("/health/ready")], ["--url", origin.url("/moved")], ["--url", "http://127.0.0.1:1/"],
            ["--url", origin.url("/silent"), "--timeout", "0.1"], ["--url", "no address"], ["--url", "ftp://a/"],
        ]
        for arguments in asked {
            let run = try ToolRun(["health"] + arguments)
            #expect(run.exitCode == 1, "\(arguments)")
            #expect(run.errors.hasPrefix(arguments[1] + ": "))
        }
        await origin.stop()
    }

    @Test(arguments: [
        ["--port", "0"], ["--port", "65536"], ["--timeout", "0"], ["--port", "1", "--url", "http://a/"],
    ])
    func invalidHealthArgumentsExitWith64(_ arguments: [String]) throws {
        #expect(try ToolRun(["health"] + arguments).exitCode == 64)
    }

    @Test func portAndHostOfTheServiceAreReadFromEnvironmentAndFileAndOptions() async throws {
        let origin = try await Self.origin()
        let folder = try TemporaryFolder()
        let json = "{\"server\": {\"host\": \"0.0.0.0\", \"port\": \(origin.port)}}"
        let file = try folder.write(Array(json.utf8), to: "s.json")
        let port = "IMAGETOOL_SERVER_PORT=\(origin.port)"
        for line in [
            "\(port) \"$TOOL\" health", "\(port) IMAGETOOL_SERVER_HOST=0.0.0.0 \"$TOOL\" health --timeout 60",
            // The file of keys need not be readable.
            "\(port) IMAGETOOL_SIGNING_KEYSFILE=/none \"$TOOL\" health", "\"$TOOL\" health --config \(file)",
            "IMAGETOOL_SERVER_PORT=1 \"$TOOL\" health --set server.port=\(origin.port)",
            "IMAGETOOL_SERVER_PORT=1 \"$TOOL\" health --port \(origin.port)",
            "IMAGETOOL_SERVER_HOST=192.0.2.1 \"$TOOL\" health --port \(origin.port) --host 127.0.0.1",
        ] {
            let run = try ToolRun(shell: line)
            #expect(run.exitCode == 0, "\(line): \(run.errors)")
            #expect(run.errors.isEmpty)
        }
        for line in [
            "IMAGETOOL_SERVER_PORT=0 \"$TOOL\" health", "IMAGETOOL_SERVER_PORT=x \"$TOOL\" health",
            "\"$TOOL\" health --config \(folder.path("none.json"))", "IMAGETOOL_SERVER_PORT=1 \"$TOOL\" health",
        ] {
            let run = try ToolRun(shell: line)
            #expect(run.exitCode == 1, "\(line)")
            #expect(!run.errors.isEmpty)
        }
        await origin.stop()
    }

    @Test func addressOfAllInterfacesIsRequestedOnLoopback() {
        let table = [
            ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("10.0.0.1", "10.0.0.1"), ("a.test", "a.test"),
        ]
        for (host, name) in table { #expect(HealthCommand.url(host: host, 81) == "http://\(name):81/health/live") }
    }
}
