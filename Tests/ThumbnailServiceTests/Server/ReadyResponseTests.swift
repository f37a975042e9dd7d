import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Responses from fields that are made once per second are those that are made for each request.
@Suite(.timeLimit(.minutes(30))) struct ReadyResponseTests {
    private static func origin() async throws -> LoopbackOrigin {
        let image = try Bitmap.landscape(60, 40).png()
        return try await LoopbackOrigin { _ in
            .ok(
                image,
                [
                    OriginField("Cache-Control", "max-age=3600"),
                    OriginField("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ])
        }
    }

    /// The fields without those that differ between two requests.
    private static func stable(_ reply: RunningService.Reply) -> [String: String] {
        var fields = Dictionary(reply.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        for name in ["Date", "X-Request-ID", "Cache-Control", "Age"] { fields[name] = nil }
        return fields
    }

    /// The second service logs, and so makes each response anew.
    @Test(arguments: [false, true])
    func responsesAreEqualToThoseThatAreMadeForEachRequest(negotiates: Bool) async throws {
        let origin = try await Self.origin()
        let folder = Fixture.folder.path(percentEncoded: false)
        let change: @Sendable (inout ServiceConfiguration) -> Void = {
            $0.server.showsDebugFields = false
            $0.output.negotiates = negotiates
            $0.output.resourcePolicy = .crossOrigin
            $0.iiif = .init(fileRoot: folder)
            $0.cache.mode = .passthrough
        }
        let targets = [
            "/unsafe/30x20/127.0.0.1:\(origin.port)/a.png", "/iiif/3/demo%2Fwindow.png/full/40,/0/default.png",
            "/unsafe/20x20/filters:format(jpeg):unknown(1)/127.0.0.1:\(origin.port)/a.png",
        ]
        try await withService(origin: origin, change) { ready in
            try await withService(origin: origin, log: LogRecorder().log, change) { made in
                for target in targets {
                    for service in [ready, made] {
                        for _ in 0..<2 { #expect(try await service.send(target).status == 200) }
                    }
                    let tag = try #require(try await ready.send(target)["ETag"])
                    let conditions: [[(String, String)]] = [
                        [], [("If-None-Match", tag)], [("If-None-Match", "\"other\"")], [("If-None-Match", "*")],
                        [("If-None-Match", "W/\(tag)")], [("If-None-Match", "\"a\", \(tag)")],
                        [("If-None-Match", tag), ("If-None-Match", "\"b\"")],
                        [("If-None-Match", "\"b\""), ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")],
                        [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")],
                        [("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")], [("Accept", "image/webp")],
                        [("Accept", "image/png"), ("If-None-Match", tag)], [("X-Request-ID", "own.id-1")],
                    ]
                    for condition in conditions {
                        for method in ["GET", "HEAD", "OPTIONS", "DELETE"] {
                            let first = try await ready.send(target, method: method, fields: condition)
                            let second = try await made.send(target, method: method, fields: condition)
                            #expect(first.status == second.status, "\(method) \(target) \(condition)")
                            if first.status < 400 {
                                #expect(first.body == second.body)
                                #expect(Self.stable(first) == Self.stable(second), "\(method) \(target) \(condition)")
                            }
                            let identifier = try #require(first["X-Request-ID"])
                            let own = condition.first { $0.0 == "X-Request-ID" }?.1
                            #expect(own == nil ? identifier.utf8.count == 16 : identifier == own)
                            #expect((first["Cache-Control"] != nil) == (second["Cache-Control"] != nil))
                        }
                    }
                }
            }
        }
        await origin.stop()
    }

    @Test func resultThatIsRemovedFromMemoryIsNotSentAgain() async throws {
        let origin = try await Self.origin()
        let registry = PrometheusRegistry()
        try await withService(origin: origin, metrics: registry) {
            $0.server.showsDebugFields = false
        } _: { (service) async throws in
            let target = "/unsafe/30x20/127.0.0.1:\(origin.port)/a.png"
            for _ in 0..<4 { #expect(try await service.send(target).status == 200) }
            #expect(service.engine.counters.renderCount == 1)
            service.engine.results.clearMemory()
            #expect(try await service.send(target).status == 200)
            #expect(service.engine.counters.renderCount == 2)
        }
        let samples = try MetricSample.all(in: registry.text)
        let labels = ["dialect": "thumbor", "status": "2xx"]
        #expect(samples.value("imagetool_requests_total", labels.merging(["result": "memory"]) { $1 }) == 3)
        #expect(samples.value("imagetool_requests_total", labels.merging(["result": "render"]) { $1 }) == 2)
        #expect(samples.value("imagetool_cache_hits_total", ["layer": "memory"]) == 3)
        #expect(samples.value("imagetool_request_seconds_count") == 5)
        await origin.stop()
    }

    @Test func identifiersAreDistinctAndHave16Digits() {
        let all = Set((0..<100_000).map { _ in RequestIdentifier.of(nil) })
        #expect(all.count == 100_000)
        #expect(all.allSatisfy { $0.utf8.count == 16 && $0.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) } })
    }
}
