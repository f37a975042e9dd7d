import Foundation
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// Responses of `imagetool pipe` to loads, and the requests that the origin received.
@Suite(.timeLimit(.minutes(30))) struct PipeLoadTests {
    @Test(.requirement("O9", "O18", "O20", "O26", "O52"))
    func repeatedLoadsAreServedFromMemoryThenDiskThenByRevalidation() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: 86_400)
        let image = try PipeOrigin.image
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            let network = try await pipe.load(origin.url())
            let memory = try await pipe.load(origin.url())
            #expect(try await pipe.call("clearMemory").count == 1)
            let disk = try await pipe.load(origin.url())
            #expect(origin.requests() == 1)
            let revalidated = try await pipe.load(origin.url(), "\"policy\":\"revalidate\"")
            #expect(origin.requests() == 2)

            let answers = [network, memory, disk, revalidated]
            #expect(answers.map(\.outcome) == ["200 network", "200 memory", "200 disk", "200 revalidated"])
            #expect(answers.allSatisfy { $0.body == image && $0.error == nil })
            #expect(answers.allSatisfy { $0.values("ETag") == ["\"1\""] && $0.values("Content-Type") == ["image/png"] })
            #expect(network.values("Age").isEmpty)
            #expect(memory.values("Age").count == 1 && disk.values("Age").count == 1)
            #expect(origin.origin.requests.last?["If-None-Match"] == "\"1\"")
        }
    }

    @Test(.requirement("O78")) func dataIsCachedOnDiskSeparatelyFromImages() async throws {
        let folder = try TemporaryFolder()
        let resource = OriginResource(Array("{}".utf8), contentType: "application/json", etag: "\"d\"", maxAge: 86_400)
        let origin = try await PipeOrigin(["/d": { .response(resource.response(to: $0)) }])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            var answers: [PipeDriver.Response] = []
            for policy in ["default", "default", "revalidate", "reload"] {
                answers.append(try await pipe.load(origin.url("/d"), "\"kind\":\"data\",\"policy\":\"\(policy)\""))
            }
            let asPicture = try await pipe.load(origin.url("/d"))

            #expect(answers.map(\.outcome) == ["200 network", "200 disk", "200 revalidated", "200 network"])
            #expect(answers.allSatisfy { $0.body == Array("{}".utf8) })
            #expect(asPicture.outcome == "200 error")
            #expect(asPicture.error?.contains("unacceptableContentType") == true)
            #expect(origin.requests("/d") == 4)
        }
    }

    @Test(
        .requirement("O90"),
        arguments: [
            ("default", 86_400, "200 memory", 0), ("default", 0, "200 revalidated", 1),
            ("revalidate", 86_400, "200 revalidated", 1), ("revalidate", 0, "200 revalidated", 1),
            ("reload", 86_400, "200 network", 1), ("reload", 0, "200 network", 1),
            ("cacheElseLoad", 86_400, "200 memory", 0), ("cacheElseLoad", 0, "200 memory", 0),
            ("cacheOnly", 86_400, "200 memory", 0), ("cacheOnly", 0, "200 memory", 0),
        ])
    func cachePolicyAndFreshnessDetermineIfAStoredResponseIsUsedOrRevalidatedOrReplaced(
        _ policy: String, _ maxAge: Int, _ outcome: String, _ requests: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: maxAge)
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            _ = try await pipe.load(origin.url())
            let answer = try await pipe.load(origin.url(), "\"policy\":\"\(policy)\"")

            #expect(answer.outcome == outcome)
            #expect(origin.requests() == 1 + requests)
            #expect(answer.body?.count == 506)
        }
    }

    @Test(
        .requirement("O90"),
        arguments: [
            ("default", "200 network"), ("revalidate", "200 network"), ("reload", "200 network"),
            ("cacheElseLoad", "200 network"), ("cacheOnly", "504 error"),
        ])
    func cacheOnlyIsTheOnlyPolicyThatSendsNoRequestWhenTheCacheIsEmpty(
        _ policy: String, _ outcome: String
    ) async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: 86_400)
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            let answer = try await pipe.load(origin.url(), "\"policy\":\"\(policy)\"")

            #expect(answer.outcome == outcome)
            #expect(origin.requests() == (policy == "cacheOnly" ? 0 : 1))
            #expect((answer.body == nil) == (policy == "cacheOnly"))
            #expect((answer.error == nil) == (policy != "cacheOnly"))
        }
    }

    @Test func noStoreResponseIsRequestedAgain() async throws {
        let folder = try TemporaryFolder()
        let image = try PipeOrigin.image
        let origin = try await PipeOrigin([
            "/a.png": { _ in
                PipeOrigin.response(
                    200, ["Content-Type": "image/png", "Cache-Control": "no-store, max-age=86400"], image)
            }
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for count in 1...3 {
                #expect(try await pipe.load(origin.url()).outcome == "200 network")
                #expect(origin.requests() == count)
            }
            #expect(try await pipe.load(origin.url(), "\"policy\":\"cacheOnly\"").outcome == "504 error")
            #expect(try await pipe.call("stats").entries == 0)
        }
    }

    @Test(.requirement("O32", "O34"), arguments: [400, 401, 403, 404, 410, 429, 500, 502, 503, 504])
    func loadOfAnErrorResponseReturnsItsStatusAndHeaderFieldsAndBody(_ status: Int) async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin([
            "/e": { _ in
                PipeOrigin.response(status, ["X-Why": "because", "Content-Type": "text/plain"], Array("no".utf8))
            }
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for kind in ["image", "data"] {
                for _ in 0..<2 {
                    let answer = try await pipe.load(origin.url("/e"), "\"kind\":\"\(kind)\"")
                    #expect(answer.outcome == "\(status) network")
                    #expect(answer.values("X-Why") == ["because"])
                    #expect(answer.body == Array("no".utf8))
                    #expect(answer.error?.hasPrefix("http \(status)") == true)
                }
            }
            #expect(origin.requests("/e") == 4)
        }
    }

    @Test func errorResponseWithMaxAgeIsServedFromDisk() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin([
            "/e": { _ in
                PipeOrigin.response(404, ["Cache-Control": "max-age=86400", "X-Why": "gone"], Array("no".utf8))
            }
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            #expect(try await pipe.load(origin.url("/e")).outcome == "404 network")
            let answer = try await pipe.load(origin.url("/e"))

            #expect(answer.outcome == "404 disk")
            #expect(answer.values("X-Why") == ["gone"])
            #expect(answer.values("Age").count == 1)
            #expect(answer.body == Array("no".utf8))
            #expect(origin.requests("/e") == 1)
        }
    }

    @Test(.requirement("O42", "O43")) func loadWithARejectedBodyReturnsTheResponseStatus() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin([
            "/page": { _ in PipeOrigin.response(200, ["Content-Type": "text/html"], Array("<p>".utf8)) },
            "/broken": { _ in PipeOrigin.response(200, ["Content-Type": "image/png"], Array("no picture".utf8)) },
            "/empty": { _ in PipeOrigin.response(200, ["Content-Type": "image/png"]) },
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for (path, code) in [
                ("/page", "unacceptableContentType"), ("/broken", "undecodable"), ("/empty", "undecodable"),
            ] {
                let answer = try await pipe.load(origin.url(path))
                #expect(answer.outcome == "200 error", "\(path)")
                #expect(answer.error?.hasPrefix(code) == true, "\(path): \(answer.error ?? "")")
            }
            #expect(try await pipe.call("stats").entries == 0)
        }
    }

    @Test(.requirement("O15", "O39")) func loadWithoutAResponseHasStatus0() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(["/cut": { _ in .close() }])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for (url, code) in [
                ("", "invalidURL"), ("nonsense", "invalidURL"), ("ftp://127.0.0.1/a", "unsupportedScheme"),
                (origin.url("/cut"), "transport"),
            ] {
                let answer = try await pipe.load(url)
                #expect(answer.outcome == "0 error", "\(url)")
                #expect(answer.headers == nil && answer.bodyBase64 == nil)
                #expect(answer.error?.hasPrefix(code) == true, "\(url): \(answer.error ?? "")")
            }
        }
    }

    @Test func responseFieldsKeepTheirBytesAndOrderAndDuplicates() async throws {
        let image = try PipeOrigin.image
        let origin = try await PipeOrigin([
            "/a.png": { _ in
                var response = OriginResponse(body: image)
                response.fields = [
                    OriginField("Content-Type", "image/png"), OriginField("X-A", "1"),
                    OriginField("X-Latin", bytes: [0x63, 0x61, 0x66, 0xE9, 0x20, 0x85, 0xFF]), OriginField("x-a", "2"),
                    OriginField("Cache-Control", "max-age=86400"),
                ]
                return .response(response)
            }
        ])
        let folder = try TemporaryFolder()
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for source in ["network", "memory"] {
                let answer = try await pipe.load(
                    origin.url(), "\"headers\":[[\"Foo\",\"1\"],[\"Bar\",\"x, y\"],[\"Foo\",\"2\"]]")
                #expect(answer.source == source)
                #expect(answer.values("X-A") == ["1", "2"])
                #expect(answer.values("X-Latin") == ["caf\u{E9} \u{85}\u{FF}"])
                let names = (answer.headers ?? []).map { $0[0] }
                #expect(names.filter { $0.hasPrefix("X-") || $0.hasPrefix("x-") } == ["X-A", "X-Latin", "x-a"])
            }
            let sent = origin.origin.requests[0].fields.filter { ["Foo", "Bar"].contains($0.name) }
            #expect(sent == [OriginField("Foo", "1"), OriginField("Bar", "x, y"), OriginField("Foo", "2")])
        }
    }

    @Test func bodyWithContentEncodingIsReturnedDecoded() async throws {
        let folder = try TemporaryFolder()
        // A stored block (RFC 1951 §3.2.4) in zlib format (RFC 1950 §2.2).
        let image = try PipeOrigin.image
        let length = UInt16(image.count)
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in image {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        let adler = sums.1 << 16 | sums.0
        let coded =
            [0x78, 0x01, 0x01, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
            + image + [24, 16, 8, 0].map { UInt8(adler >> $0 & 255) }
        let origin = try await PipeOrigin([
            "/a.png": { _ in
                PipeOrigin.response(
                    200,
                    ["Content-Type": "image/png", "Content-Encoding": "deflate", "Cache-Control": "max-age=86400"],
                    coded)
            }
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for kind in ["image", "data"] {
                #expect(try await pipe.load(origin.url(), "\"kind\":\"\(kind)\"").body == image)
                _ = try await pipe.call("clearMemory")
                let stored = try await pipe.load(origin.url(), "\"kind\":\"\(kind)\"")
                #expect(stored.outcome == "200 disk")
                #expect(stored.body == image)
            }
        }
    }

    @Test func redirectIsFollowedByDefaultAndReturnedInManualMode() async throws {
        let folder = try TemporaryFolder()
        let image = try PipeOrigin.image
        let origin = try await PipeOrigin([
            "/old": { _ in PipeOrigin.response(301, ["Location": "/a.png", "Cache-Control": "max-age=86400"]) },
            "/new": { _ in PipeOrigin.response(302, ["Location": "/a.png"]) },
            "/a.png": { _ in
                PipeOrigin.response(200, ["Content-Type": "image/png", "Cache-Control": "max-age=86400"], image)
            },
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for kind in ["image", "data"] {
                let manual = "\"redirect\":\"manual\",\"kind\":\"\(kind)\""
                let first = try await pipe.load(origin.url("/new"), manual)
                #expect(first.outcome == "302 network")
                #expect(first.values("Location") == ["/a.png"])
                #expect(first.error == nil && first.bodyBase64 == nil)
                #expect(try await pipe.load(origin.url("/old"), manual).outcome == "301 network")
                #expect(try await pipe.load(origin.url("/old"), manual).outcome == "301 disk")
            }
            #expect(origin.requests("/a.png") == 0)
            let followed = try await pipe.load(origin.url("/old"))
            #expect(followed.outcome == "200 network")
            #expect(followed.body == image)
            #expect(origin.requests("/old") == 2)
        }
    }

    @Test func loadWithIfNoneMatchOfTheCallerReturns304() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: 86_400)
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            _ = try await pipe.load(origin.url())
            for kind in ["image", "data"] {
                let answer = try await pipe.load(
                    origin.url(), "\"headers\":[[\"If-None-Match\",\"\\\"1\\\"\"]],\"kind\":\"\(kind)\"")
                #expect(answer.outcome == "304 network")
                #expect(answer.error == nil && answer.bodyBase64 == nil)
            }
            #expect(origin.requests() == 3)
        }
    }
}
