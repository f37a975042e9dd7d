import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader
@testable import PlatformImageService

/// Code, title, detail and level of the log line of a failed request.
@Suite(.timeLimit(.minutes(30))) struct FailureLogTests {
    /// Sends a request, and returns its log line and the response.
    private static func line(
        of target: String, from origin: LoopbackOrigin, _ change: (inout ServiceConfiguration) -> Void = { _ in }
    ) async throws -> (entry: ServiceLog.Entry, reply: RunningService.Reply) {
        let recorder = LogRecorder()
        let reply = try await withService(origin: origin, log: recorder.log, change) { try await $0.send(target) }
        return (try #require(recorder.lines.value.first { $0.message == "request" }), reply)
    }

    @Test func failedConnectionsAreLoggedAsErrorsWithTheirCode() async throws {
        let stopped = try await LoopbackOrigin { _ in .silence }
        await stopped.stop()
        let silent = try await LoopbackOrigin { _ in .silence }
        let closing = try await LoopbackOrigin { _ in .close(after: []) }
        let failing = try await LoopbackOrigin { _ in .response(OriginResponse(status: 500)) }
        let encrypted = try await LoopbackOrigin(certificate: OriginCertificate()) { _ in .silence }
        let plain = try await LoopbackOrigin(rejectsOtherProtocols: true) { _ in .silence }
        let table: [(origin: LoopbackOrigin, scheme: String, status: Int, codes: Set<String>)] = [
            (stopped, "http", 502, ["connectionRefused"]), (silent, "http", 504, ["idleTimeout"]),
            (closing, "http", 502, ["closedBeforeResponse"]), (failing, "http", 502, ["http"]),
            (encrypted, "https", 502, ["certificateSelfSigned", "certificateUnknownIssuer"]),
            (plain, "https", 502, ["handshakeFailed"]),
        ]
        for row in table {
            let target = "/unsafe/20x20/\(row.scheme)://127.0.0.1:\(row.origin.port)/a.png"
            let (entry, reply) = try await Self.line(of: target, from: row.origin) {
                $0.source.firstByteTimeout = .milliseconds(row.scheme == "http" ? 300 : 60_000)
                $0.source.staleIfError = .zero
            }
            let code = entry.texts["code"] ?? ""
            #expect(reply.status == row.status)
            #expect(entry.level == .error)
            #expect(row.codes.contains(code), "\(code)")
            #expect(entry.texts["title"]?.isEmpty == false)
            #expect((entry.texts["detail"]?.isEmpty == false) == (code != "http"))
            #expect(reply.text.contains("\"code\":\"\(code)\""))
            for text in [reply.text, entry.texts["detail"] ?? "", entry.texts["title"] ?? ""] {
                #expect(!text.contains("127.0.0.1") && !text.contains("errno"), "\(text)")
            }
        }
        for origin in [silent, closing, failing, encrypted, plain] { await origin.stop() }
    }

    @Test func contentOfASourceThatIsNoImageIsLogged() async throws {
        let avif = [0, 0, 0, 24] + Array("ftypavif".utf8) + [UInt8](repeating: 0, count: 40)
        let origin = try await LoopbackOrigin { request in
            request.target == "/a.avif"
                ? .ok(avif) : .ok(Array("<html>geheim".utf8), [OriginField("Content-Type", "text/html")])
        }
        for (path, code, found) in [
            ("a.avif", "unsupported", "found: an AVIF file, which is not supported"),
            ("a.png", "unknownFormat", "found: text/html"),
        ] {
            let target = "/unsafe/20x20/http://127.0.0.1:\(origin.port)/\(path)"
            let (entry, reply) = try await Self.line(of: target, from: origin)
            #expect(reply.status == 415)
            #expect(entry.level == .info)
            #expect(entry.texts["reason"] == "notAnImage")
            #expect((entry.texts["code"], entry.texts["detail"]) == (code, found))
            #expect(reply.text.contains("\"detail\":\"\(found)\"") && !reply.text.contains("geheim"))
        }
        await origin.stop()
    }

    @Test func refusedTargetOfARedirectIsNotLoggedAsTheSourceItself() async throws {
        let origin = try await LoopbackOrigin { request in
            let location = ["/host": "http://other.example/a", "/port": "http://127.0.0.1:9/a"][request.target] ?? "/"
            return .response(OriginResponse(status: 302, fields: [OriginField("Location", location)]))
        }
        for (path, reason) in [("host", "hostRefused"), ("port", "portRefused")] {
            let target = "/unsafe/20x20/http://127.0.0.1:\(origin.port)/\(path)"
            let (entry, reply) = try await Self.line(of: target, from: origin)
            #expect(reply.status == 403)
            #expect((entry.texts["code"], entry.texts["detail"]) == (reason, "the origin redirected to it"))
        }
        let (entry, _) = try await Self.line(of: "/unsafe/20x20/http://other.example/a", from: origin)
        #expect((entry.texts["code"], entry.texts["detail"]) == ("hostRefused", nil))
        await origin.stop()
    }

    @Test func errorOfALimitNamesTheKeyOfTheConfiguration() async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }
        let target = "/unsafe/20x20/http://127.0.0.1:\(origin.port)/a.png"

        let (entry, reply) = try await Self.line(of: target, from: origin) { $0.limits.sourcePixels = 7_999 }

        #expect(reply.status == 422)
        #expect(entry.texts["title"] == "the source exceeds the limit limits.sourcePixels")
        let (refused, _) = try await Self.line(of: target, from: origin) { $0.source.allowedRanges = [] }
        #expect(refused.texts["detail"] == "source.allowCIDR permits addresses that are not public")
        await origin.stop()
    }

    @Test func repeatedFailureWithoutARequestToTheOriginIsMarked() async throws {
        let origin = try await LoopbackOrigin { _ in .response(OriginResponse(status: 404)) }
        let recorder = LogRecorder()

        try await withService(origin: origin, log: recorder.log) {
            $0.cache.negativeLifetime = .seconds(60)
        } _: { service in
            for size in [20, 21] {
                _ = try await service.send("/unsafe/\(size)x20/http://127.0.0.1:\(origin.port)/a.png")
            }
        }

        let lines = recorder.lines.value.filter { $0.message == "request" }
        #expect(lines.map { $0.texts["cache"] } == [nil, "failure"])
        #expect(origin.requests.count == 1)
        await origin.stop()
    }
}
