#if os(Linux)
import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Worker processes of a service that end during a decode.
///
/// The workers are stopped before a request (SIGSTOP), so that the request is in progress when a worker is ended.
@Suite(.timeLimit(.minutes(10))) struct WorkerEndTests {
    private static func samples(_ service: RunningService) async throws -> [MetricSample] {
        try MetricSample.all(in: try await service.admin.send("/metrics").text)
    }

    @Test func workerThatIsKilledFailsItsRequestWith503AndTheNextRequestSucceeds() async throws {
        let file = try Fixture.file("demo/window.png")
        try await withIsolatedService {
            $0.limits.threads = 1
            $0.server.adminPort = 0
        } _: { service, workers in
            await workers.waitUntilStarted(2)
            workers.signal(SIGSTOP)
            async let reply = service.thumbnail("20x20", of: file)
            await yieldUntil { workers.statistics.busyWorkers == 1 }
            await workers.end(by: SIGKILL)

            let killed = try await reply
            #expect(killed.status == 503 && killed["Retry-After"] == "1")
            #expect(killed.text.contains("\"reason\":\"overloaded\""))
            #expect(try await service.thumbnail("20x20", of: file).status == 200)
            let samples = try await Self.samples(service)
            #expect(try #require(samples.value("imagetool_decode_workers_ended_total", ["reason": "killed"])) >= 1)
            #expect(samples.value("imagetool_decode_refused_total") == 0)
        }
    }

    @Test func fileThatCrashesAWorkerIsLoggedAndRefused() async throws {
        let file = try Fixture.file("demo/window.png")
        let recorder = LogRecorder()
        let lines = recorder.lines
        try await withIsolatedService(log: recorder.log) {
            $0.limits.threads = 1
            $0.server.adminPort = 0
        } _: { service, workers in
            await workers.waitUntilStarted(2)
            let identifiers = workers.processIdentifiers
            workers.signal(SIGSTOP)
            async let reply = service.thumbnail("20x20", of: file)
            await yieldUntil { workers.statistics.busyWorkers == 1 }
            await workers.end(by: SIGSEGV)

            let crashed = try await reply
            #expect(crashed.status == 415 && crashed.text.contains("\"reason\":\"notAnImage\""))
            let line = try #require(lines.value.first { $0.message == "decode worker ended" })
            #expect(line.level == .error)
            var metadata = line.texts
            let process = metadata.removeValue(forKey: "process_id").flatMap { Int32($0) }
            #expect(identifiers.contains(try #require(process)))
            #expect(
                metadata == [
                    "reason": "crashed", "detail": "SIGSEGV", "format": "png", "source_bytes": "\(file.count)",
                    "sha256": SHA256.hex(file),
                ])

            #expect(try await service.thumbnail("20x20", of: file).status == 415)
            let other = try Fixture.file("demo/chart.png")
            #expect(try await service.thumbnail("20x20", of: other).status == 200)
            let samples = try await Self.samples(service)
            #expect(samples.value("imagetool_decode_workers_ended_total", ["reason": "crashed"]) == 1)
            #expect(samples.value("imagetool_decode_refused_total") == 1)
            #expect(lines.value.count { $0.message == "decode worker ended" } == 1)
        }
    }

    @Test func killingAWorkerUnderLoadFailsAtMostOneRequest() async throws {
        let file = try Fixture.file("demo/mountains.jpg")
        let statuses = try await withIsolatedService {
            $0.limits.threads = 2
        } _: { service, workers in
            await workers.waitUntilStarted(3)
            return try await withThrowingTaskGroup(of: Int.self) { group in
                for side in 0..<24 {
                    group.addTask { try await service.thumbnail("\(100 + side)x90", of: file).status }
                }
                await yieldUntil { workers.statistics.busyWorkers > 0 }
                kill(try #require(workers.processIdentifiers.last), SIGKILL)
                var statuses: [Int] = []
                for try await status in group { statuses.append(status) }
                return statuses
            }
        }

        #expect(statuses.count == 24)
        #expect(statuses.count { $0 != 200 } <= 1 && statuses.allSatisfy { $0 == 200 || $0 == 503 }, "\(statuses)")
    }

    @Test func metricsOfWorkersAreExportedWithAndWithoutWorkers() async throws {
        let names = [
            "imagetool_decode_workers", "imagetool_decode_workers_ended_total",
            "imagetool_decode_worker_requests_total", "imagetool_decode_worker_waits_total",
            "imagetool_decode_worker_wait_seconds_total", "imagetool_decode_refused_total",
        ]
        let file = try Fixture.file("demo/window.png")
        try await withService {
            $0.server.adminPort = 0
        } _: { service in
            #expect(try await service.thumbnail("20x20", of: file).status == 200)
            let samples = try await Self.samples(service)
            for name in names { #expect(samples.value(name) == 0) }
        }
        try await withIsolatedService {
            $0.limits.threads = 1
            $0.server.adminPort = 0
        } _: { service, workers in
            await workers.waitUntilStarted(2)
            #expect(try await service.thumbnail("20x20", of: file).status == 200)
            await yieldUntil { workers.statistics.busyWorkers == 0 }
            let samples = try await Self.samples(service)
            for name in names { #expect(samples.value(name) != nil) }
            #expect(samples.value("imagetool_decode_workers", ["state": "idle"]) == 3)
            #expect(samples.value("imagetool_decode_workers", ["state": "busy"]) == 0)
            #expect(try #require(samples.value("imagetool_decode_worker_requests_total")) >= 2)
            let reasons = samples.filter { $0.name == "imagetool_decode_workers_ended_total" }.map {
                $0.labels["reason"]
            }
            #expect(Set(reasons) == Set(DecodeWorkers.EndReason.allCases.map(\.rawValue)))
        }
    }
}
#endif
