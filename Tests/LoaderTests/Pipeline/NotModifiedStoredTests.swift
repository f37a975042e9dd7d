import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// `isStored` of an image after a 304 response.
@Suite struct NotModifiedStoredTests {
    private typealias Change = @Sendable (inout ImageLoader.Configuration) -> Void

    /// Settings of the first load of an image, and of its revalidation when the image is stale.
    private struct RevalidationCase {
        let name: String
        var change: Change = { _ in }
        var firstLayers = CacheLayers.all
        var layers = CacheLayers.all
        /// Additional fields of the 304 response.
        var fields: HeaderFields = [:]
        let isStored: Bool
    }

    private let rows = [
        RevalidationCase(name: "from disk", isStored: true),
        RevalidationCase(name: "from memory", change: { $0.cacheImagesInMemory = true }, isStored: true),
        RevalidationCase(name: "disk only", layers: .disk, isStored: true),
        RevalidationCase(name: "may not write", layers: .readsDisk, isStored: true),
        RevalidationCase(
            name: "may write only memory", change: { $0.cacheImagesInMemory = true },
            layers: [.memory, .readsDisk], isStored: true),
        RevalidationCase(
            name: "does not read the disk", change: { $0.cacheImagesInMemory = true }, layers: [.memory, .writesDisk],
            isStored: true),
        RevalidationCase(
            name: "memory only", change: { $0.cacheImagesInMemory = true }, layers: .memory, isStored: true),
        RevalidationCase(
            name: "stored in memory only", change: { $0.cacheImagesInMemory = true }, firstLayers: .memory,
            layers: .memory, isStored: false),
        RevalidationCase(
            name: "stored in memory only, may write now", change: { $0.cacheImagesInMemory = true },
            firstLayers: .memory,
            isStored: false),
        RevalidationCase(
            name: "no disk cache",
            change: {
                $0.cacheImagesInMemory = true
                $0.cacheDirectory = nil
            }, isStored: false),
        RevalidationCase(
            name: "no disk cache, may not write",
            change: {
                $0.cacheImagesInMemory = true
                $0.cacheDirectory = nil
            }, layers: [.memory, .readsDisk], isStored: false),
        RevalidationCase(
            name: "larger than the disk cache",
            change: {
                $0.cacheImagesInMemory = true
                $0.diskCacheMaxBytes = 10
            }, isStored: false),
        RevalidationCase(name: "304 with no-store", fields: ["Cache-Control": "no-store"], isStored: false),
    ]

    private func bench(_ row: RevalidationCase) throws -> LoaderBench {
        let fields = row.fields
        return try LoaderBench(
            ScriptedTransport { request, _ in
                request.fields.contains("If-None-Match")
                    ? .status(304, fields) : .image(TestImage.first, maxAge: 10, etag: "\"1\"")
            }, row.change)
    }

    private func request(_ layers: CacheLayers) -> ImageRequest {
        var request = ImageRequest(url: LoaderBench.url)
        request.layers = layers
        return request
    }

    @Test func revalidatedImageReportsWhetherItIsOnDisk() async throws {
        for row in rows {
            let bench = try bench(row)
            _ = try await bench.loader.image(for: request(row.firstLayers))
            bench.clock.advance(11)

            let confirmed = try await bench.loader.image(for: request(row.layers))

            #expect(confirmed.source == .networkNotModified, "\(row.name)")
            #expect(confirmed.isFresh, "\(row.name)")
            #expect(confirmed.isStored == row.isStored, "\(row.name)")
            #expect(bench.storedFiles.isEmpty == !row.isStored, "\(row.name)")
        }
    }

    @Test func finishedEventReportsWhetherTheImageIsOnDisk() async throws {
        for row in rows {
            let bench = try bench(row)
            _ = try await bench.loader.image(for: request(row.firstLayers))
            bench.clock.advance(11)

            var last: LoadedImage?
            for await event in bench.loader.events(for: request(row.layers)) {
                if case .finished(let result) = event { last = try result.get() }
            }

            #expect(last?.source == .networkNotModified, "\(row.name)")
            #expect(last?.isStored == row.isStored, "\(row.name)")
        }
    }

    @Test func memoryHitAfterARevalidationReportsWhetherTheImageIsOnDisk() async throws {
        for row in rows where row.fields.lines.isEmpty && row.layers.contains(.memory) {
            let bench = try bench(row)
            try bench.loader.update { $0.cacheImagesInMemory = true }
            _ = try await bench.loader.image(for: request(row.firstLayers))
            bench.clock.advance(11)
            _ = try await bench.loader.image(for: request(row.layers))

            let again = try await bench.loader.image(for: request(row.layers))

            #expect(again.source == .memory, "\(row.name)")
            #expect(again.isStored == row.isStored, "\(row.name)")
        }
    }

    /// The header of the stored file is not updated, so the next load revalidates the image again.
    @Test func revalidationWithoutTheDiskWriteLayerLeavesTheFileUnchanged() async throws {
        let bench = try bench(RevalidationCase(name: "", isStored: true))
        _ = await bench.steps()
        let path = bench.folder.path + "/" + (try #require(bench.storedFiles.first))
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        bench.clock.advance(11)

        for _ in 0..<2 {
            let confirmed = try await bench.loader.image(for: request(.readsDisk))
            #expect(confirmed.source == .networkNotModified)
        }

        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let written = try await bench.loader.image(for: request(.disk))
        #expect(written.source == .networkNotModified)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != before)
    }

    @Test func revalidatedDataReportsWhetherItIsOnDisk() async throws {
        let rows: [(layers: CacheLayers, fields: HeaderFields, isStored: Bool)] = [
            (.all, [:], true), (.readsDisk, [:], true), (.disk, [:], true),
            (.all, ["Cache-Control": "no-store"], false),
        ]
        for row in rows {
            let bench = try bench(RevalidationCase(name: "", fields: row.fields, isStored: row.isStored))
            var request = DataRequest(url: LoaderBench.url)
            _ = try await bench.loader.data(for: request)
            bench.clock.advance(11)
            request.layers = row.layers

            let confirmed = try await bench.loader.data(for: request)

            #expect(confirmed.source == .networkNotModified, "\(row.layers)")
            #expect(confirmed.isStored == row.isStored, "\(row.layers)")
            let isThere = bench.folder.files.contains { $0.hasPrefix("data/v1/") }
            #expect(isThere == row.isStored, "\(row.layers)")
        }
    }

    @Test func revalidationAfterADiskPurgeDoesNotStoreTheImage() async throws {
        let bench = try bench(RevalidationCase(name: "", change: { $0.cacheImagesInMemory = true }, isStored: false))
        _ = await bench.steps()
        await bench.loader.purgeDisk()

        let confirmed = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))

        #expect(confirmed.source == .networkNotModified)
        #expect(!confirmed.isStored)
        #expect(bench.storedFiles.isEmpty)
    }

    /// The file is removed while the request for revalidation runs; the body in memory is stored again.
    @Test func bodyRemovedDuringRevalidationIsStoredAgain() async throws {
        let gate = Gate()
        let bench = try LoaderBench(
            ScriptedTransport { request, _ in
                guard request.fields.contains("If-None-Match") else {
                    return .image(TestImage.first, maxAge: 10, etag: "\"1\"")
                }
                var reply = ScriptedReply.status(304)
                reply.headGate = gate
                return reply
            })
        let request = request(.all)
        _ = try await bench.loader.image(for: request)
        bench.clock.advance(11)
        async let confirmed = bench.loader.image(for: request)
        await gate.arrival()
        await bench.loader.removeImage(for: request)
        #expect(bench.storedFiles.isEmpty)
        gate.open()

        #expect(try await confirmed.source == .networkNotModified)
        #expect(try await confirmed.isStored)
        #expect(bench.storedFiles.count == 1)
    }
}
