import Foundation
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// The effect of every configuration key of `open`, and the cache operations.
@Suite(.timeLimit(.minutes(30))) struct PipeConfigTests {
    /// Results of consecutive loads of `/a.png`, and the number of requests at the origin.
    private func outcomes(
        _ config: String, _ origin: PipeOrigin, loads: Int = 2, clearsMemory: Bool = false
    ) async throws -> ([String], Int) {
        let folder = try TemporaryFolder()
        var outcomes: [String] = []
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path, config)
            for _ in 0..<loads {
                if clearsMemory { _ = try await pipe.call("clearMemory") }
                outcomes.append(try await pipe.load(origin.url()).outcome)
            }
        }
        return (outcomes, origin.requests())
    }

    private func image(_ fields: KeyValuePairs<String, String> = [:]) async throws -> PipeOrigin {
        let body = try PipeOrigin.image
        return try await PipeOrigin([
            "/a.png": { _ in
                let all = [OriginField("Content-Type", "image/png")] + fields.map { OriginField($0.key, $0.value) }
                return .response(OriginResponse(fields: all, body: body))
            }
        ])
    }

    @Test(.requirement("O31")) func noStoreResponseIsCachedWhenUseServerCachePolicyIsFalse() async throws {
        let on = try await outcomes("", image(["Cache-Control": "no-store"]))
        let off = try await outcomes("\"useServerCachePolicy\":false", image(["Cache-Control": "no-store"]))

        #expect(on == (["200 network", "200 network"], 2))
        #expect(off == (["200 network", "200 memory"], 1))
    }

    @Test(.requirement("O24")) func defaultMaxAgeMakesAResponseWithoutCacheControlFresh() async throws {
        let none = try await outcomes("", image())
        let some = try await outcomes("\"defaultCacheControlMaxAge\":86400", image())

        #expect(none == (["200 network", "200 network"], 2))
        #expect(some == (["200 network", "200 memory"], 1))
    }

    @Test(.requirement("O34", "O35"))
    func errorResponsesSuspendRequestsOfTheirURLWhenMaxAttemptsForErrorsIsReached() async throws {
        func origin() async throws -> PipeOrigin {
            try await PipeOrigin(["/a.png": { _ in PipeOrigin.response(503, [:], [1]) }])
        }
        let network = "503 network"
        let never = try await outcomes("", origin(), loads: 4)
        let three = try await outcomes("\"defaultCacheControlMaxAgeForErrors\":86400", origin(), loads: 5)
        let one = try await outcomes(
            "\"defaultCacheControlMaxAgeForErrors\":86400,\"maxAttemptsForErrors\":1", origin(), loads: 3)

        #expect(never == ([network, network, network, network], 4))
        #expect(three == ([network, network, network, "503 error", "503 error"], 3))
        #expect(one == ([network, "503 error", "503 error"], 1))
    }

    @Test(.requirement("O43")) func loadOfAContentTypeOutsideAcceptedContentTypesFails() async throws {
        let fields: KeyValuePairs<String, String> = ["Cache-Control": "max-age=86400"]
        for (config, outcome) in [
            ("", "200 network"), ("\"acceptedContentTypes\":[\"image/png\"]", "200 network"),
            ("\"acceptedContentTypes\":[\"image/gif\",\"image/bmp\"]", "200 error"),
            ("\"acceptedContentTypes\":[]", "200 network"), ("\"acceptedContentTypes\":[\"image/*\"]", "200 network"),
        ] {
            let result = try await outcomes(config, image(fields), loads: 1)
            #expect(result == ([outcome], 1), "\(config)")
        }
    }

    @Test(.requirement("C3", "C18")) func imageLargerThanMemoryCacheMaxBytesIsReadFromDisk() async throws {
        // The decoded image has 19 x 13 pixels, which are 988 bytes; the memory cache also stores the image file of 506
        // bytes.
        for (config, source) in [
            ("", "memory"), ("\"cacheImagesInMemory\":false", "disk"), ("\"memoryCacheMaxBytes\":0", "disk"),
            ("\"memoryCacheMaxBytes\":1493", "disk"), ("\"memoryCacheMaxBytes\":1494", "memory"),
        ] {
            let result = try await outcomes(config, image(["Cache-Control": "max-age=86400"]))
            #expect(result == (["200 network", "200 \(source)"], 1), "\(config)")
        }
    }

    @Test(.requirement("O51")) func entryLargerThanDiskCacheMaxBytesIsNotStored() async throws {
        for (config, source, requests) in [
            ("\"diskCacheMaxBytes\":null", "disk", 1), ("\"diskCacheMaxBytes\":0", "network", 2),
            ("\"diskCacheMaxBytes\":1000", "network", 2), ("\"diskCacheMaxBytes\":100000", "disk", 1),
        ] {
            let origin = try await image(["Cache-Control": "max-age=86400"])
            let result = try await outcomes(config, origin, clearsMemory: true)
            #expect(result == (["200 network", "200 \(source)"], requests), "\(config)")
        }
    }

    @Test(arguments: [
        ("\"staleIfError\":\"never\"", "503 network", false), ("\"staleIfError\":null", "503 network", false),
        ("\"staleIfError\":86400", "200 memory", true), ("\"staleIfError\":\"serverDirective\"", "200 memory", true),
        ("", "503 network", false),
    ])
    func staleIfErrorReturnsTheStoredImageOnServerErrors(_ config: String, _ outcome: String, _ isPicture: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let body = try PipeOrigin.image
        let origin = try await PipeOrigin([
            "/a.png": { request in
                guard request.number == 0 else { return PipeOrigin.response(503) }
                return PipeOrigin.response(
                    200, ["Content-Type": "image/png", "Cache-Control": "max-age=0, stale-if-error=86400"], body)
            }
        ])
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path, config)
            _ = try await pipe.load(origin.url())
            let answer = try await pipe.load(origin.url())

            #expect(answer.outcome == outcome)
            #expect((answer.body == body) == isPicture)
            #expect(answer.error?.hasPrefix("http 503") == true)
            #expect(origin.requests() == 2)
        }
    }

    @Test(.requirement("O83")) func response410IsCachedWhenNegativeCacheMaxAgeIsSet() async throws {
        func origin() async throws -> PipeOrigin { try await PipeOrigin(["/a.png": { _ in PipeOrigin.response(410) }]) }
        let never = try await outcomes("", origin())
        let once = try await outcomes("\"negativeCacheMaxAge\":86400", origin())

        #expect(never == (["410 network", "410 network"], 2))
        #expect(once == (["410 network", "410 error"], 1))
    }

    @Test(.requirement("O92")) func loadOfABodyLargerThanMaxResponseBytesFails() async throws {
        let enough = try await outcomes("\"maxResponseBytes\":506", image(), loads: 1)
        let tooFew = try await outcomes("\"maxResponseBytes\":505", image(), loads: 1)

        #expect(enough == (["200 network"], 1))
        #expect(tooFew.0.first?.hasSuffix("error") == true)
    }

    @Test(.requirement("O54", "O84"))
    func purgeDiskRemovesEveryDiskEntryAndTheImageInMemoryIsRevalidated() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: 3_600)
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            _ = try await pipe.load(origin.url())
            #expect(try await pipe.call("clearModifiedOlderThan", "\"seconds\":3600").count == 0)
            #expect(try await pipe.call("clearCreatedOlderThan", "\"seconds\":3600.5").count == 0)
            let stats = try await pipe.call("stats")
            #expect(stats.ok == true && stats.entries == 1 && stats.bytes ?? 0 > 506)

            let purged = try await pipe.call("purgeDisk")
            #expect(purged.ok == true && purged.count == 1 && purged.bytes == stats.bytes)
            #expect(try await pipe.call("stats").entries == 0)
            // The image in memory is revalidated before use.
            #expect(try await pipe.load(origin.url()).outcome == "200 revalidated")
            #expect(origin.requests() == 2)
        }
    }

    @Test(.requirement("O44", "O45"))
    func changedFileModificationDateAffectsOnlyTheOperationClearModifiedOlderThan() async throws {
        let folder = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: 3_600)
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(folder.path)
            _ = try await pipe.load(origin.url())
            #expect(try await pipe.call("flush").ok == true)
            let entries = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
                $0.hasPrefix("v1/") && $0.split(separator: "/").count == 3
            }
            #expect(entries.count == 1)
            let old = Date(timeIntervalSinceNow: -7_200)
            for entry in entries {
                try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder.path(entry))
            }

            #expect(try await pipe.call("clearCreatedOlderThan", "\"seconds\":3600").count == 0)
            #expect(try await pipe.call("clearModifiedOlderThan", "\"seconds\":86400").count == 0)
            #expect(try await pipe.call("clearModifiedOlderThan", "\"seconds\":3600").count == 1)
        }
    }

    @Test(.requirement("O2")) func unusableCacheFolderDisablesTheDiskCache() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write([1], to: "file")
        let origin = try await PipeOrigin(maxAge: 3_600)
        try await PipeDriver.run { pipe in
            for directory in [file, file + "/below", "/proc/none/such", nil] {
                #expect(try await pipe.open(directory).ok == true)
                let outcomes = [try await pipe.load(origin.url()).outcome, try await pipe.load(origin.url()).outcome]
                #expect(outcomes == ["200 network", "200 memory"])
                #expect(try await pipe.call("flush").ok == true)
                #expect(try await pipe.call("stats").entries == 0)
                #expect(try await pipe.call("purgeDisk").ok == true)
            }
        }
        #expect(try folder.names == ["file"])
    }

    @Test func openWithAnExistingLoaderNameReplacesTheLoader() async throws {
        let first = try TemporaryFolder()
        let second = try TemporaryFolder()
        let origin = try await PipeOrigin(maxAge: 3_600)
        try await PipeDriver.run { pipe in
            _ = try await pipe.open(first.path)
            #expect(try await pipe.load(origin.url()).outcome == "200 network")
            _ = try await pipe.open(first.path)
            #expect(try await pipe.load(origin.url()).outcome == "200 disk")
            _ = try await pipe.open(second.path, "\"cacheImagesInMemory\":false")
            #expect(try await pipe.load(origin.url()).outcome == "200 network")
            #expect(try await pipe.load(origin.url()).outcome == "200 disk")
            _ = try await pipe.open(first.path, loader: "other")
            #expect(try await pipe.load(origin.url(), loader: "other").outcome == "200 disk")
            #expect(try await pipe.load(origin.url()).outcome == "200 disk")
            // Each line uses the loader that is open or being opened under its loader name when the line is read, even
            // if the response to `open` has not arrived.
            let open = pipe.begin("open", "\"directory\":\"\(first.path("third"))\"")
            let load = pipe.begin("load", "\"url\":\"\(origin.url())\"")
            #expect(try await pipe.response(to: load).outcome == "200 network")
            #expect(try await pipe.response(to: open).ok == true)
        }
    }
}
