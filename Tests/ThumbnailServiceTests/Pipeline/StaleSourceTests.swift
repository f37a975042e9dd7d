import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// `source.staleIfError` and the field `X-Image-Status`.
@Suite(.timeLimit(.minutes(30))) struct StaleSourceTests {
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stale-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Seconds of `max-age`; 0 without it.
    private static func maxAge(_ reply: RunningService.Reply) -> Int {
        reply["Cache-Control"]?.split(separator: "max-age=").last.flatMap { Int($0) } ?? 0
    }

    /// Renders one size, lets the origin fail, and renders another size and the first one again.
    private static func replies(
        _ control: String?, failure: OriginAction, staleIfError: Duration = .seconds(3_600),
        registry: PrometheusRegistry = PrometheusRegistry(), log: ServiceLog = .none
    ) async throws -> [RunningService.Reply] {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try Bitmap.landscape(100, 80).png()
        let fails = Locked(false)
        let origin = try await LoopbackOrigin { _ in
            guard !fails.value else { return failure }
            let fields = [OriginField("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]
            return .ok(file, fields + (control.map { [OriginField("Cache-Control", $0)] } ?? []))
        }
        let replies = try await withService(origin: origin, log: log, metrics: registry) {
            $0.cache.directory = folder.path
            $0.cache.resultMemory = 0
            $0.cache.resultDisk = 0
            $0.source.staleIfError = staleIfError
            $0.source.firstByteTimeout = .seconds(1)
        } _: { service in
            let base = "127.0.0.1:\(origin.port)/a.png"
            var replies = [try await service.send("/unsafe/30x20/\(base)")]
            await service.engine.flush()
            fails.update { $0 = true }
            for size in ["40x20", "30x20"] { replies.append(try await service.send("/unsafe/\(size)/\(base)")) }
            return replies
        }
        await origin.stop()
        return replies
    }

    @Test(
        arguments: [nil, "max-age=0", "max-age=0, stale-if-error=1"] as [String?], ["500", "503", "close", "silence"])
    func newSizeIsRenderedFromTheStoredSourceWhileTheOriginFails(_ control: String?, _ failure: String) async throws {
        let actions: [String: OriginAction] = [
            "500": .response(OriginResponse(status: 500)), "503": .response(OriginResponse(status: 503)),
            "close": .close(after: []), "silence": .silence,
        ]
        let (registry, recorder) = (PrometheusRegistry(), LogRecorder())
        let replies = try await Self.replies(
            control, failure: try #require(actions[failure]), registry: registry, log: recorder.log)

        #expect(replies.map(\.status) == [200, 200, 200])
        #expect(replies.map { $0["X-Image-Status"] } == [nil, "stale", "stale"])
        for reply in replies.dropFirst() { #expect((1...60).contains(Self.maxAge(reply))) }
        let samples = try MetricSample.all(in: registry.text)
        #expect(samples.value("imagetool_image_status_total", ["status": "stale"]) == 2)
        #expect(samples.value("imagetool_image_status_total", ["status": "partial"]) == 0)
        let lines = recorder.lines.value.filter { $0.texts["image_status"] == "stale" }
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.level == .warning)
            #expect(line.texts["code"]?.isEmpty == false && line.texts["title"]?.isEmpty == false)
        }
    }

    @Test(arguments: ["max-age=0, must-revalidate", "no-cache", "max-age=0, proxy-revalidate", "s-maxage=0"])
    func sourceThatForbidsStaleUseIsNotUsedWhileTheOriginFails(_ control: String) async throws {
        let replies = try await Self.replies(control, failure: .response(OriginResponse(status: 503)))
        #expect(replies.map(\.status) == [200, 502, 502])
    }

    @Test func otherErrorsAndTheValue0DoNotUseAStaleSource() async throws {
        let failing = try await Self.replies(
            nil, failure: .response(OriginResponse(status: 500)), staleIfError: .zero)
        #expect(failing.map(\.status) == [200, 502, 502])
        let missing = try await Self.replies(nil, failure: .response(OriginResponse(status: 404)))
        #expect(missing.map(\.status) == [200, 404, 404])
    }

    @Test func imageOfATruncatedSourceHasTheStatusPartial() async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { request in
            .ok(request.target == "/cut.png" ? Array(file.prefix(file.count / 2)) : file)
        }
        let (registry, recorder) = (PrometheusRegistry(), LogRecorder())
        try await withService(origin: origin, log: recorder.log, metrics: registry) { service in
            func send(_ path: String) async throws -> RunningService.Reply {
                try await service.send("/unsafe/30x20/127.0.0.1:\(origin.port)/\(path)")
            }
            // The second response comes from memory.
            for _ in 0..<2 {
                let cut = try await send("cut.png")
                #expect(cut.status == 200)
                #expect(cut["X-Image-Status"] == "partial")
                #expect((1...60).contains(Self.maxAge(cut)))
                #expect(try await send("whole.png")["X-Image-Status"] == nil)
            }
        }
        let samples = try MetricSample.all(in: registry.text)
        #expect(samples.value("imagetool_image_status_total", ["status": "partial"]) == 2)
        #expect(recorder.lines.value.count { $0.texts["image_status"] == "partial" } == 2)
        await origin.stop()
    }

    @Test func statusOfAStoredResultIsReadFromItsFields() throws {
        var facts = StoredResult.Facts(
            contentType: "image/png", entityTag: "\"a\"", sourceDigest: "d", frameCount: 1, isDamaged: true,
            source: .init(), validatedAt: .now)
        for isStale in [false, true] {
            facts.isStale = isStale
            let response = StoredResponse(
                status: 200, fields: facts.fields, requestTime: facts.validatedAt, responseTime: facts.validatedAt,
                createdAt: facts.validatedAt)
            let read = try #require(StoredResult.Facts(response))
            #expect(read.imageStatus == (isStale ? [.partial, .stale] : [.partial]))
        }
    }
}
