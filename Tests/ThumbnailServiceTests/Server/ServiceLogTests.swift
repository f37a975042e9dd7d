import Foundation
import Logging
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The log lines that do not belong to a request.
@Suite struct ServiceLogTests {
    @Test func unusableCacheDirectoryIsLoggedOnceAndResultsAreServed() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(image) }
        // A file in place of the folder is unusable for root too.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = Locked<[LogRecorder.Line]>([])
        let logger = Logger(label: "test") { _ in LogRecorder(lines: lines) }

        try await withService(origin: origin, logger: logger) {
            $0.cache.directory = file.path
        } _: { service in
            for side in 8..<12 {
                let reply = try await service.send("/unsafe/\(side)x8/127.0.0.1:\(origin.port)/a.png")
                #expect(reply.status == 200)
            }
            await service.engine.flush()
        }

        let faults = lines.value.filter { line in
            line.message == "disk cache fault" && line.metadata["directory"]?.description == file.path + "/results"
        }
        #expect(faults.count == 1)
        #expect(faults.first?.level == .error)
        #expect(faults.first?.metadata["fault"]?.description == "foreignObject")
        #expect(faults.first?.metadata["error"]?.description.contains("opening the folder failed") == true)
        await origin.stop()
    }

    @Test func limitsInEffectAreLoggedAtTheStart() async throws {
        let lines = Locked<[LogRecorder.Line]>([])
        let logger = Logger(label: "test") { _ in LogRecorder(lines: lines) }

        try await withService(logger: logger) {
            $0.limits.threads = 3
            $0.limits.inFlightBytes = 64 << 20
            $0.cache.resultMemory = 32 << 20
        } _: { _ in
        }

        let line = try #require(lines.value.first { $0.message == "limits" })
        #expect(line.level == .info)
        #expect(
            line.metadata.mapValues(\.description) == [
                "render_threads": "3", "inflight_bytes": "67108864", "result_memory_bytes": "33554432",
            ])
    }
}
