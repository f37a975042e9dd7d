import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

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
}
