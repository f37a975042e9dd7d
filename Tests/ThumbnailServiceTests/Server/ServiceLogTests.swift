import Foundation
import PlatformImage
import PlatformImageLoader
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
        let recorder = LogRecorder()
        let lines = recorder.lines

        try await withService(origin: origin, log: recorder.log) {
            $0.cache.directory = file.path
        } _: { service in
            for side in 8..<12 {
                let reply = try await service.send("/unsafe/\(side)x8/127.0.0.1:\(origin.port)/a.png")
                #expect(reply.status == 200)
            }
            await service.engine.flush()
        }

        let faults = lines.value.filter { line in
            line.message == "disk cache fault" && line.texts["directory"] == file.path + "/results"
        }
        #expect(faults.count == 1)
        #expect(faults.first?.level == .error)
        #expect(faults.first?.texts["fault"] == "foreignObject")
        #expect(faults.first?.texts["error"]?.contains("opening the folder failed") == true)
        await origin.stop()
    }

    @Test func limitsInEffectAreLoggedAtTheStart() async throws {
        let recorder = LogRecorder()
        let lines = recorder.lines

        try await withService(log: recorder.log) {
            $0.limits.threads = 3
            $0.limits.inFlightBytes = 64 << 20
            $0.cache.resultMemory = 32 << 20
        } _: { _ in
        }

        let line = try #require(lines.value.first { $0.message == "limits" })
        #expect(line.level == .info)
        #expect(
            line.texts == [
                "render_threads": "3", "inflight_bytes": "67108864", "result_memory_bytes": "33554432",
            ])
    }
}
