import Foundation
import PlatformImageLoopbackOrigin
import Testing

/// Valid and invalid request lines of `imagetool pipe`.
@Suite(.timeLimit(.minutes(30))) struct PipeLineTests {
    @Test func requestIDIsReturnedWithTheSameValueInTheResponse() async throws {
        let ids = [
            "1", "-0", "0.5", "1e400", "123456789012345678901234567890", "\"text\"", "\"\"", "\"a\\\"b\\\\c\"",
            "\"\\u00e9\\ud83d\\ude00\"",
        ]
        let shown = ids.dropLast() + ["\"\u{E9}\u{1F600}\""]
        try await PipeDriver.run { pipe in
            for id in ids { pipe.write(line: "{\"id\":\(id),\"op\":\"open\",\"loader\":\"a\"}") }
            pipe.closeInput()
            #expect(await pipe.exit() == 0)
            // Responses may arrive in any order.
            let seen = Set(pipe.lines.map { String($0.prefix { $0 != "," }) })
            #expect(seen == Set(shown.map { "{\"id\":\($0)" }))
        }
    }

    static let garbage: [(line: [UInt8], id: String)] = [
        ([], "null"), (Array("nonsense".utf8), "null"), (Array("{".utf8), "null"), (Array("[]".utf8), "null"),
        (Array("3".utf8), "null"), (Array("null".utf8), "null"), (Array("{\"id\":7,\"op\":\"lo".utf8), "7"),
        (Array("{\"id\":8}".utf8), "8"), (Array("{\"id\":9,\"op\":4,\"loader\":\"main\"}".utf8), "9"),
        (Array("{\"id\":10,\"op\":\"load\"}".utf8), "10"),
        (Array("{\"id\":11,\"op\":\"load\",\"loader\":\"main\"}".utf8), "11"),
        (Array("{\"op\":\"open\",\"loader\":\"main\"}".utf8), "null"),
        (Array("{\"id\":null,\"op\":\"open\",\"loader\":\"main\"}".utf8), "null"),
        (Array("{\"id\":[1],\"op\":\"open\",\"loader\":\"main\"}".utf8), "null"),
        (Array("{\"id\":12,\"id\":13,\"op\":\"stats\",\"loader\":\"main\"}".utf8), "12"),
        (Array("{\"id\":14,\"op\":\"stats\",\"loader\":\"main\"} x".utf8), "14"),
        (Array("{\"id\":15,\"op\":\"stats\",\"loader\":\"main\",}".utf8), "15"),
        (Array("{\"id\":16,\"op\":\"stats\",\"loader\":\"\\ud800\"}".utf8), "16"),
        (Array("{\"id\":17,\"x\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8), "17"),
        ([0xFF, 0x00, 0x80], "null"), ([UInt8](repeating: UInt8(ascii: "["), count: 100_000), "null"),
        (Array("{\"id\":18,\"op\":\"stats\",\"loader\":\"".utf8) + [UInt8](repeating: 0x20, count: 1 << 20), "null"),
        ([UInt8](repeating: 0x20, count: 5 << 20), "null"),
        (Array("{\"id\":19,\"op\":\"open\",\"loader\":\"a\",\"directory\":\"not/absolute\"}".utf8), "19"),
        (Array("{\"id\":20,\"op\":\"open\",\"loader\":\"a\",\"directory\":\"/tmp/a\\u0000b\"}".utf8), "20"),
        (Array("{\"id\":21,\"op\":\"open\",\"loader\":\"a\",\"config\":[]}".utf8), "21"),
        (Array("{\"id\":22,\"op\":\"stats\",\"loader\":\"nobody opened it\"}".utf8), "22"),
        (Array("{\"id\":23,\"op\":\"clearModifiedOlderThan\",\"loader\":\"main\"}".utf8), "23"),
        (Array("{\"id\":24,\"op\":\"clearCreatedOlderThan\",\"loader\":\"main\",\"seconds\":-1}".utf8), "24"),
        (Array("{\"id\":25,\"op\":\"clearCreatedOlderThan\",\"loader\":\"main\",\"seconds\":\"1\"}".utf8), "25"),
        (Array("{\"id\":26,\"op\":\"load\",\"loader\":\"main\",\"url\":\"http://a/\",\"headers\":{}}".utf8), "26"),
        (
            Array("{\"id\":27,\"op\":\"load\",\"loader\":\"main\",\"url\":\"http://a/\",\"headers\":[[\"a\"]]}".utf8),
            "27"
        ),
        (
            Array(
                "{\"id\":28,\"op\":\"load\",\"loader\":\"main\",\"url\":\"\",\"headers\":[[\"a\",\"\\u0100\"]]}".utf8),
            "28"
        ),
    ]

    @Test func invalidLineGivesAnErrorResponseAndTheProcessContinues() async throws {
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(nil)
            for (line, id) in Self.garbage {
                pipe.write(line + [0x0A])
                let answer = try await pipe.response(to: id)
                #expect(answer.ok == false, "\(String(decoding: line.prefix(80), as: UTF8.self))")
                #expect(answer.error?.isEmpty == false)
            }
            #expect(try await pipe.call("stats").ok == true)
        }
    }

    @Test func lastLineWithoutANewlineIsProcessed() async throws {
        try await PipeDriver.run { pipe in
            pipe.write(Array("{\"id\":1,\"op\":\"open\",\"loader\":\"main\"}\r\n\n{\"id\":2,\"op\":\"stats\",".utf8))
            pipe.write(Array(" \"loader\" : \"main\"}".utf8))
            pipe.closeInput()

            let answers = [
                try await pipe.response(to: "1"), try await pipe.response(to: "null"), try await pipe.response(to: "2"),
            ]
            #expect(answers.map(\.ok) == [true, false, true])
        }
    }

    @Test func unknownOperationOrValueIsReportedAsUnsupported() async throws {
        let load = "\"url\":\"http://127.0.0.1:1/\""
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(nil)
            for (operation, members) in [
                ("purgeEverything", ""), ("load", load + ",\"method\":\"POST\""),
                ("load", load + ",\"method\":\"get\""),
                ("load", load + ",\"policy\":\"never\""), ("load", load + ",\"kind\":\"video\""),
                ("load", load + ",\"redirect\":\"error\""),
            ] {
                let answer = try await pipe.call(operation, members)
                #expect(answer.unsupported == true, "\(operation) \(members)")
                #expect(answer.ok == nil && answer.status == nil)
            }
        }
    }

    @Test func openReportsCapabilitiesAndIgnoredKeys() async throws {
        try await PipeDriver.run { pipe in
            let answer = try await pipe.open(nil, "\"memoryCacheMaxBytes\":1e6,\"colour\":1,\"b\":{\"c\":[null]}")

            #expect(answer.ok == true)
            #expect(
                answer.capabilities == [
                    "open", "load", "flush", "clearMemory", "purgeDisk", "clearModifiedOlderThan",
                    "clearCreatedOlderThan", "stats",
                ])
            #expect(answer.ignoredConfig == ["colour", "b"])
        }
    }

    @Test func invalidConfigValueGivesAnErrorAndKeepsThePreviousLoader() async throws {
        let folder = try TemporaryFolder()
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            for config in [
                "\"useServerCachePolicy\":1", "\"cacheImagesInMemory\":\"yes\"", "\"defaultCacheControlMaxAge\":-1",
                "\"defaultCacheControlMaxAge\":\"1\"", "\"defaultCacheControlMaxAgeForErrors\":null",
                "\"maxAttemptsForErrors\":1.5", "\"maxAttemptsForErrors\":-1", "\"acceptedContentTypes\":\"image/png\"",
                "\"acceptedContentTypes\":[\"png\"]", "\"memoryCacheMaxBytes\":1e30", "\"memoryCacheMaxBytes\":null",
                "\"diskCacheMaxBytes\":-5", "\"staleIfError\":\"sometimes\"", "\"staleIfError\":-1",
                "\"negativeCacheMaxAge\":true", "\"maxResponseBytes\":[]",
            ] {
                let answer = try await pipe.open(nil, config)
                #expect(answer.ok == false, "\(config)")
                #expect(answer.error?.isEmpty == false)
            }
            #expect(try await pipe.call("stats").ok == true)
        }
    }

    @Test func everyConfigKeyIsAccepted() async throws {
        let config = """
            "useServerCachePolicy":true,"defaultCacheControlMaxAge":1.5,"defaultCacheControlMaxAgeForErrors":1e300,\
            "maxAttemptsForErrors":0,"acceptedContentTypes":[],"cacheImagesInMemory":false,"memoryCacheMaxBytes":0,\
            "diskCacheMaxBytes":null,"staleIfError":"serverDirective","negativeCacheMaxAge":null,"maxResponseBytes":5
            """
        try await PipeDriver.run { pipe in
            let answer = try await pipe.open(nil, config)

            #expect(answer.ok == true)
            #expect(answer.ignoredConfig == [])
        }
    }
}
