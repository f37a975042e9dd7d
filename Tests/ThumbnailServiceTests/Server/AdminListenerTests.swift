import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader
@testable import PlatformImageService

/// Metrics and health on the admin listener, and the effect of requests on the metrics.
@Suite(.timeLimit(.minutes(30))) struct AdminListenerTests {
    private static func withAdmin<Value: Sendable>(
        origin: LoopbackOrigin? = nil, metrics: PrometheusRegistry = PrometheusRegistry(),
        _ body: @escaping @Sendable (RunningService) async throws -> Value
    ) async throws -> Value {
        try await withService(origin: origin, metrics: metrics, { $0.server.adminPort = 0 }, body)
    }

    private static func samples(_ service: RunningService) async throws -> [MetricSample] {
        let reply = try await service.admin.send("/metrics")
        #expect(reply.status == 200)
        #expect(reply["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        return try MetricSample.all(in: reply.text)
    }

    private static func origin() async throws -> LoopbackOrigin {
        let file = try Bitmap.landscape(100, 80).png()
        return try await LoopbackOrigin { request in
            request.target == "/cat.png" ? .ok(file) : .response(OriginResponse(status: 404))
        }
    }

    @Test func metricsAreServedOnTheAdminListenerOnly() async throws {
        try await Self.withAdmin { service in
            for target in ["/metrics", "/metrics/", "/metrics?a=b", "/%6Detrics", "/unsafe/../metrics"] {
                let reply = try await service.send(target)
                #expect(reply.status >= 400)
                #expect(!reply.text.contains("imagetool_"))
            }
            let admin = try service.admin
            #expect(admin.port != service.port)
            #expect(try await admin.send("/metrics?name=a").status == 200)
            #expect(try await admin.send("/metrics", method: "HEAD").body.isEmpty)
            #expect(try await admin.send("/unsafe/10x10/a.example/b.png").status == 404)
            let refused = try await admin.send("/metrics", method: "POST", body: [1])
            #expect(refused.status == 405)
            #expect(refused["Allow"] == "GET, HEAD")
        }
    }

    @Test func healthIsServedOnBothListeners() async throws {
        try await Self.withAdmin { service in
            for side in [service, try service.admin] {
                for target in ["/health/live", "/health/ready", "/healthcheck"] {
                    #expect(try await side.send(target).status == 200)
                }
            }
        }
        #expect(ServiceResponse.health("/health/ready", isReady: false)?.status == 503)
        #expect(ServiceResponse.health("/health/live", isReady: false)?.status == 200)
    }

    @Test func adminPortInUseFailsTheStart() async throws {
        try await Self.withAdmin { first in
            let taken = try #require(first.adminPort)
            let hasServed = Locked(false)
            do {
                try await withService { configuration in
                    configuration.server.adminPort = taken
                } _: { _ in
                    hasServed.update { $0 = true }
                }
                Issue.record("the second service started on a port in use")
            } catch let error as ServiceError {
                #expect(error.reason == .internalFault)
                #expect(error.message.contains("server.adminPort: cannot listen on 127.0.0.1:\(taken) "))
            }
            #expect(!hasServed.value)
        }
    }

    @Test func publicPortInUseFailsTheStartWithTheNameOfItsKey() async throws {
        try await withService { first in
            let hasServed = Locked(false)
            do {
                try await withService { configuration in
                    configuration.server.port = first.port
                } _: { _ in
                    hasServed.update { $0 = true }
                }
                Issue.record("the second service started on a port in use")
            } catch let error as ServiceError {
                #expect(error.reason == .internalFault)
                #expect(error.message.contains("server.port: cannot listen on 127.0.0.1:\(first.port): "))
            }
            #expect(!hasServed.value)
        }
    }

    @Test func everyDocumentedMetricIsReportedFromTheStart() async throws {
        try await Self.withAdmin { service in
            let samples = try await Self.samples(service)
            let names = Set(samples.map(\.name))
            for name in ServiceMetrics.help.keys {
                let isThere = names.contains(name) || names.contains(name + "_bucket")
                #expect(isThere, "\(name)")
            }
            #expect(samples.value("imagetool_open_connections").map { $0 >= 0 } == true)
            #expect(samples.value("imagetool_inflight_bytes_limit") == Double(service.engine.queue.budget.maxBytes))
            #expect(samples.value("imagetool_inflight_bytes") == 0)
            #expect(samples.value("imagetool_queue_depth") == 0)
            for reason in ServiceMetrics.Rejection.allCases {
                #expect(samples.value("imagetool_rejected_total", ["reason": reason.rawValue]) == 0)
            }
            for stage in ServiceMetrics.SharedStage.allCases {
                #expect(samples.value("imagetool_coalesced_total", ["stage": stage.rawValue]) == 0)
            }
            #if os(Linux)
            #expect(samples.value("process_resident_memory_bytes").map { $0 > 1_048_576 } == true)
            #endif
        }
    }

    @Test func requestsAreCountedByStatusAndResultInTheMetrics() async throws {
        let origin = try await Self.origin()
        try await Self.withAdmin(origin: origin) { service in
            let base = "/unsafe/30x20/127.0.0.1:\(origin.port)"
            for target in [base + "/cat.png", base + "/cat.png", base + "/none.png", "/unsafe/9x9/b.example/a.png"] {
                _ = try await service.send(target)
            }
            _ = try await service.send("/AAAAAAAAAAAAAAAAAAAAAAAAAAA=/30x20/a.example/cat.png")
            _ = try await service.send("/unsafe/9000x20/127.0.0.1:\(origin.port)/cat.png")
            _ = try await service.send("/health/live")

            let samples = try await Self.samples(service)
            func requests(_ dialect: String, _ status: String, _ result: String) -> Double? {
                samples.value(
                    "imagetool_requests_total", ["dialect": dialect, "status": status, "result": result])
            }
            #expect(requests("thumbor", "2xx", "render") == 1)
            #expect(requests("thumbor", "2xx", "memory") == 1)
            #expect(requests("thumbor", "4xx", "error") == 4)
            #expect(requests("none", "2xx", "other") == 1)
            #expect(samples.value("imagetool_request_seconds_count") == 7)
            for (layer, hits, misses) in [("memory", 1.0, 3.0), ("failure", 0, 3), ("disk", 0, 0)] {
                #expect(samples.value("imagetool_cache_hits_total", ["layer": layer]) == hits, "\(layer)")
                #expect(samples.value("imagetool_cache_misses_total", ["layer": layer]) == misses, "\(layer)")
            }
            #expect(samples.value("imagetool_cache_bytes", ["layer": "memory"]).map { $0 > 0 } == true)
            #expect(samples.value("imagetool_fetch_seconds_count") == 1)
            #expect(samples.value("imagetool_queue_seconds_count") == 1)
            #expect(samples.value("imagetool_decode_seconds_count", ["format": "png"]) == 1)
            #expect(samples.value("imagetool_render_seconds_count", ["format": "png"]) == 1)
            #expect(samples.value("imagetool_rejected_total", ["reason": "address"]) == 1)
            #expect(samples.value("imagetool_rejected_total", ["reason": "signature"]) == 1)
            #expect(samples.value("imagetool_rejected_total", ["reason": "limit"]) == 1)
        }
        await origin.stop()
    }

    @Test func requestsThatShareAFetchOrRenderAreCountedInTheMetrics() async throws {
        let gate = OriginGate()
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: file)
            response.gate = gate
            return .response(response)
        }
        try await Self.withAdmin(origin: origin) { service in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<6 {
                    // Three sizes, two requests each: the client has enough connections for all.
                    let target = "/unsafe/\(20 + index % 3)x20/127.0.0.1:\(origin.port)/new.png"
                    group.addTask { try await service.send(target).status }
                }
                await origin.waitForRequests(1)
                // Before the origin responds, all six requests must wait for renders, and all three renders must wait
                // for the one fetch.
                let reader = try #require(service.engine.sources as? SourceReader)
                await yieldUntil {
                    service.engine.renders.waiterTotal == 6 && reader.loader.data.shared.fetches.waiterTotal == 3
                }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            let samples = try await Self.samples(service)
            #expect(origin.requests.count == 1)
            #expect(samples.value("imagetool_fetch_seconds_count") == 1)
            #expect(samples.value("imagetool_coalesced_total", ["stage": "fetch"]) == 2)
            #expect(samples.value("imagetool_coalesced_total", ["stage": "render"]) == 3)
        }
        await origin.stop()
    }

    @Test(.timeLimit(.minutes(30))) func cancelledFetchIsCountedInTheMetrics() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        try await Self.withAdmin(origin: origin) { service in
            let request = Task { try await service.send("/unsafe/20x20/127.0.0.1:\(origin.port)/slow.png") }
            await origin.waitForRequests(1)
            request.cancel()
            _ = await request.result
            while try await Self.samples(service).value("imagetool_cancelled_total", ["stage": "fetch"]) != 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(try await Self.samples(service).value("imagetool_cancelled_total", ["stage": "render"]) == 0)
        }
        await origin.stop()
    }

    /// A program that has metrics of its own exports them together with those of the service.
    @Test func metricsOfTheProgramAreInItsRegistryTogetherWithThoseOfTheService() async throws {
        let registry = PrometheusRegistry()
        registry.counter("program_total").increment(by: 3)
        try await Self.withAdmin(metrics: registry) { service in
            #expect(try await service.send("/health/live").status == 200)
            let samples = try await Self.samples(service)
            #expect(samples.value("program_total") == 3)
        }
        let samples = try MetricSample.all(in: registry.text)
        let labels = ["dialect": "none", "status": "2xx", "result": "other"]
        #expect(samples.value("imagetool_requests_total", labels) == 1)
        #expect(samples.value("imagetool_inflight_bytes_limit").map { $0 > 0 } == true)
    }

    @Test(
        arguments: [
            ("127.0.0.1", nil, false), ("127.9.9.9", nil, false), ("0.0.0.0", nil, true),
            ("0.0.0.0", "a token of these tests", false),
        ] as [(String, String?, Bool)])
    func publicAdminHostWithoutATokenIsLoggedAsAWarning(_ host: String, _ token: String?, _ warns: Bool) async throws {
        let recorder = LogRecorder()
        try await withService(log: recorder.log) {
            $0.server.adminPort = 0
            $0.server.adminHost = host
            $0.server.adminToken = token
        } _: { service in
            let status = host == "0.0.0.0" ? try await service.admin.send("/health/live").status : 200
            #expect(status == 200)
        }
        let warnings = recorder.lines.value.filter { $0.level == .warning && $0.message.contains("server.adminHost") }
        #expect(warnings.count == (warns ? 1 : 0))
        #expect(warnings.allSatisfy { $0.texts["host"] == host })
    }

    @Test func metricsRequireTheTokenAndHealthDoesNot() async throws {
        let token = "a-token-of-these-tests"
        try await withService {
            $0.server.adminPort = 0
            $0.server.adminToken = token
        } _: { service in
            let admin = try service.admin
            for (sent, status) in [
                (nil, 401), ("Bearer " + token, 200), ("bearer " + token, 200), ("Bearer \(token)x", 401),
                ("Basic " + token, 401), (token, 401),
            ] as [(String?, Int)] {
                let reply = try await admin.send("/metrics", fields: sent.map { [("Authorization", $0)] } ?? [])
                #expect(reply.status == status, "\(sent ?? "none")")
                #expect((reply["WWW-Authenticate"] == "Bearer") == (status == 401))
            }
            #expect(try await admin.send("/health/ready").status == 200)
        }
    }
}
