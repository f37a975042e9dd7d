import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// The metadata of a request's log line, and the data that must not appear in it (Docs/service-security.md).
@Suite struct RequestLogTests {
    /// The fields of the log lines of requests.
    private static func lines(_ recorder: LogRecorder) -> [[String: String]] {
        recorder.lines.value.filter { $0.message == "request" }.map(\.texts)
    }

    @Test func requestLogContainsSizesAndTimingsOfTheRender() async throws {
        let file = try Bitmap.landscape(100, 80).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }
        let recorder = LogRecorder()
        try await withService(origin: origin, log: recorder.log) { service in
            let target = "/unsafe/30x20/127.0.0.1:\(origin.port)/cat.png"
            let trace = "0af7651916cd43dd8448eb211c80319c"
            let first = try await service.send(
                target, fields: [("X-Request-ID", "r1"), ("traceparent", "00-\(trace)-b7ad6b7169203331-00")])
            let second = try await service.send(target, method: "HEAD")
            _ = try await service.send("/health/live")

            let made = Self.lines(recorder)
            #expect(made.count == 2)
            let line = try #require(made.first)
            func text(_ key: String) -> String? { line[key] }
            #expect(text("request_id") == "r1")
            #expect(text("trace_id") == trace)
            #expect(text("path") == target)
            #expect(text("dialect") == "thumbor")
            #expect(text("status") == "200")
            #expect(text("cache") == "render")
            #expect(text("source_host") == "127.0.0.1")
            #expect((text("width"), text("height")) == ("30", "20"))
            #expect((text("source_width"), text("source_height")) == ("100", "80"))
            #expect(text("source_bytes") == "\(file.count)")
            #expect(text("bytes") == "\(first.body.count)")
            for part in ["queue_ms", "fetch_ms", "decode_ms", "render_ms", "ms"] {
                #expect(text(part).flatMap { Double($0) } != nil, "\(part)")
            }
            let parts = try #require(first["Server-Timing"]).split(separator: ", ").map { $0.prefix { $0 != ";" } }
            #expect(parts == ["queue", "fetch", "decode", "render", "total"])

            #expect(second["Server-Timing"]?.hasPrefix("total;dur=") == true)
            #expect(made.last?["cache"] == "memory")
            #expect(made.last?["bytes"] == "0")
            #expect(made.last?["trace_id"] == nil)
            #expect(made.last?["decode_ms"] == nil)
        }
        await origin.stop()
    }

    @Test(
        .requirement("SV22"),
        arguments: [
            ("/unsafe/30x20/a.example/cat.png", "/unsafe/30x20/a.example/cat.png"),
            ("/8ammJH8D-7tXy6kU3lTvoXlhu4o=/30x20/a.example/cat.png", "/-/30x20/a.example/cat.png"),
            ("/post/8ammJH8D-7tXy6kU3lTvoXlhu4o=/30x20/body", "/post/-/30x20/body"),
            ("/post/unsafe/30x20/body", "/post/unsafe/30x20/body"), ("/8ammJH8D-7tXy6kU3lTvoXlhu4o=", "/-"),
            ("/iiif/3/cat/full/max/0/default.jpg", "/iiif/3/cat/full/max/0/default.jpg"),
            ("/unsafe/a.example/cat.png?token=1", "/unsafe/a.example/cat.png?-"),
            ("/unsafe/a.example/cat.png%3Ftoken=1", "/unsafe/a.example/cat.png?-"),
            ("/unsafe/a.example/cat.png%253ftoken=1", "/unsafe/a.example/cat.png?-"),
            ("/unsafe/a.example/cat.png%23token", "/unsafe/a.example/cat.png?-"),
            ("/unsafe/http://user:secret@a.example/cat.png", "/unsafe/http://-@a.example/cat.png"),
            ("/unsafe/http://secret@a.example/cat.png", "/unsafe/http://-@a.example/cat.png"),
            ("/unsafe/http%3A%2F%2Fsecret%40a.example%2Fcat.png", "/unsafe/http%3A%2F%2F-@a.example%2Fcat.png"),
            ("/unsafe/http%253A%252F%252Fsecret%2540a.example", "/unsafe/http%253A%252F%252F-@a.example"),
            ("/unsafe/user:secret@a.example", "/unsafe/-@a.example"),
            ("/unsafe/30x20/cat@2x.png", "/unsafe/30x20/cat@2x.png"),
            ("//8ammJH8D-7tXy6kU3lTvoXlhu4o=/x", "//-/x"), ("///8ammJH8D-7tXy6kU3lTvoXlhu4o=", "///-"),
            ("/%2F8ammJH8D-7tXy6kU3lTvoXlhu4o=/x", "/%2F-/x"), ("//secret/x", "//-/x"), ("//unsafe/x", "//unsafe/x"),
            ("/post//8ammJH8D-7tXy6kU3lTvoXlhu4o=/body", "/post//-/body"), ("//post/secret/body", "//post/-/body"),
            ("/thumbs/8ammJH8D-7tXy6kU3lTvoXlhu4o=/x", "/-/-/x"), ("/post", "/post"), ("/post/", "/post/"),
            ("/unsafe/8ammJH8D-7tXy6kU3lTvoXlhu4o%253D/x", "/unsafe/-/x"),
            (
                "/unsafe/3QnVM3BeRl4S3bc29FfAryGF95aVByel9Bu_MPKAukY%3D/8ammJH8D%2D7tXy6kU3lTvoXlhu4o=/x",
                "/unsafe/-/-/x"
            ),
            ("/unsafe/8ammJH8D-7tXy6kU3lTvoXlhu4oA/x=", "/unsafe/8ammJH8D-7tXy6kU3lTvoXlhu4oA/x="),
            ("//", "//"), ("", ""), ("/", "/"), ("*", "*"), ("/unsafe/%", "/unsafe/%"), ("/unsafe/%2", "/unsafe/%2"),
        ] as [(String, String)])
    func loggedTargetOmitsSignaturesAndQueriesAndCredentials(_ target: String, _ logged: String) {
        #expect(LoggedTarget.text(target) == logged)
    }

    @Test(.requirement("SV22")) func loggedTargetIsPrintableASCIIOfLimitedLength() {
        for byte in UInt8.min...UInt8.max {
            let target = String(decoding: Array("/unsafe/a".utf8) + [byte] + Array("b".utf8), as: UTF8.self)
            #expect(LoggedTarget.text(target).utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(byte)")
        }
        for text in ["x", "/", "%", "%25", "@", "a/", "%2F", ":@/"] {
            let long = LoggedTarget.text("/unsafe/" + String(repeating: text, count: 8_192 / text.utf8.count))
            #expect(long.utf8.count <= 3 * LoggedTarget.maxBytes + 3)
        }
    }

    @Test(.requirement("SV22")) func requestLogLineContainsNoSecretAndNoControlByte() async throws {
        let key = Array("a key of these tests".utf8)
        let recorder = LogRecorder()
        try await withService(log: recorder.log) {
            $0.signing.keys = [key]
        } _: { service in
            let signed = try SigningKeys([key], algorithms: [.sha1]).signed("30x20/u:geheim@a.example/cat.png")
            for target in [signed, signed + "?geheim=1", signed.replacing("30x20", with: "31x20%1B%5B31m%0A")] {
                let fields = [("X-Request-ID", "a b!"), ("traceparent", "geheim"), ("X-Forwarded-For", "geheim")]
                #expect(try await service.send(target, fields: fields).status >= 400)
            }
            let signature = signed.split(separator: "/")[0]
            let lines = Self.lines(recorder)
            #expect(lines.count == 3)
            for line in lines {
                let text = line.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                #expect(!text.contains(signature) && !text.contains("geheim"), "\(text)")
                #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            }
        }
    }

    @Test(.requirement("SV23")) func errorResponseRevealsNoAddressOrPathOrInternalError() async throws {
        let folder = Fixture.folder.path()
        let origin = try await LoopbackOrigin { request in
            request.target == "/broken.png" ? .ok(Array("\u{89}PNG\r\n\u{1A}\n".utf8)) : .close(after: [])
        }
        let targets = [
            "/unsafe/20x20/http://127.0.0.1:\(origin.port)/cut.png",
            "/unsafe/20x20/http://127.0.0.1:\(origin.port)/broken.png",
            "/unsafe/20x20/http://127.0.0.1:1/a.png", "/unsafe/20x20/http://169.254.169.254/latest",
            "/unsafe/20x20/none.png",
            "/unsafe/20x20/..%2F..%2Fetc%2Fpasswd", "/unsafe/20x20/file:///etc/passwd", "/unsafe/-/", "/x",
            "/unsafe/20x20/http://localhost/a.png", "/unsafe/99999x20/http://127.0.0.1:\(origin.port)/a.png",
        ]
        for showsDebugFields in [false, true] {
            try await withService(origin: origin) {
                $0.server.showsDebugFields = showsDebugFields
                $0.source.fileRoot = folder
            } _: { service in
                for target in targets {
                    let reply = try await service.send(target)
                    #expect(reply.status >= 400)
                    #expect(reply["Content-Type"] == "application/problem+json")
                    let all = reply.text + reply.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
                    for secret in [folder, "127.0.0.1", "169.254", "localhost", "passwd", ".swift", "errno", "Error"] {
                        #expect(!all.contains(secret), "\(target): \(all)")
                    }
                    #expect((reply["Server-Timing"] != nil) == showsDebugFields)
                    #expect(reply["X-Cache"] == nil)
                }
            }
        }
        await origin.stop()
    }
}
