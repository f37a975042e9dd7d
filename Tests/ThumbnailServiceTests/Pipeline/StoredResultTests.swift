import Foundation
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Results in the disk cache: file names, integrity, and which responses may be stored.
@Suite struct StoredResultTests {
    /// A temporary folder; `deinit` removes it.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("results-\(UUID().uuidString)")

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Paths below the folder: those of folders when `isFolder` is true, otherwise those of files.
        func paths(isFolder: Bool) throws -> [String] {
            let all = try FileManager.default.subpathsOfDirectory(atPath: url.path)
            return all.filter { path in
                let values = try? url.appendingPathComponent(path).resourceValues(forKeys: [.isDirectoryKey])
                return values?.isDirectory == isFolder
            }
        }

        func mode(_ path: String) throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.appendingPathComponent(path).path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue
        }
    }

    private static func origin(_ fields: [OriginField] = [OriginField("Cache-Control", "max-age=3600")]) async throws
        -> LoopbackOrigin
    {
        let image = try Bitmap.landscape(40, 30).png()
        return try await LoopbackOrigin { _ in .ok(image, fields) }
    }

    @Test(.requirement("SV17")) func storedResultsHaveDigestsAsFileNamesInPrivateFolders() async throws {
        let folder = Folder()
        let directory = folder.url.path
        let origin = try await Self.origin()
        try await withService(origin: origin) {
            $0.cache.directory = directory
        } _: { service in
            for name in ["..%2F..%2Fetc%2Fpasswd", "%252e%252e/x", "a%20b;rm", "%C3%BC"] {
                let reply = try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/\(name).png")
                #expect(reply.status == 200)
            }
            await service.engine.flush()
        }

        let files = try folder.paths(isFolder: false).filter { $0.contains("/v1/") }
        #expect(files.count == 8)
        for path in files {
            let name = String(path.split(separator: "/").suffix(2).joined())
            #expect(name.utf8.count >= 64, "\(path)")
            #expect(name.utf8.prefix(64).allSatisfy { "0123456789abcdef".utf8.contains($0) }, "\(path)")
        }
        for path in try folder.paths(isFolder: true) { #expect(try folder.mode(path) == 0o700, "\(path)") }
        await origin.stop()
    }

    @Test(.requirement("SV17")) func resultWithAModifiedStoredFileIsRenderedAgain() async throws {
        let folder = Folder()
        let directory = folder.url.path
        let origin = try await Self.origin()
        let target = "/unsafe/8x8/127.0.0.1:\(origin.port)/a.png"
        func layers(_ count: Int) async throws -> (layer: String?, body: [UInt8]) {
            try await withService(origin: origin) {
                $0.cache.directory = directory
            } _: { service in
                let reply = try await service.send(target)
                #expect(reply.status == 200)
                await service.engine.flush()
                return (reply["X-Cache"], reply.body)
            }
        }

        let first = try await layers(1)
        let second = try await layers(2)
        for path in try folder.paths(isFolder: false) where path.hasPrefix("results/") {
            let url = folder.url.appendingPathComponent(path)
            var bytes = try Data(contentsOf: url)
            guard let last = bytes.indices.last else { continue }
            bytes[last] ^= 1
            try bytes.write(to: url)
        }
        let third = try await layers(3)

        #expect(first.layer == "render")
        #expect(second.layer == "disk")
        #expect(third.layer == "render")
        #expect(first.body == second.body)
        #expect(first.body == third.body)
        await origin.stop()
    }

    /// Response fields of the origin, and whether the second of two equal requests may use the cached result.
    private static let fields: [(fields: [OriginField], isKept: Bool)] = [
        ([OriginField("Cache-Control", "max-age=3600")], true),
        ([OriginField("Cache-Control", "private, max-age=3600")], false),
        ([OriginField("Cache-Control", "no-store")], false),
        ([OriginField("Cache-Control", "max-age=3600"), OriginField("Set-Cookie", "a=b")], false),
        ([OriginField("Cache-Control", "max-age=3600"), OriginField("Vary", "*")], false),
    ]

    @Test(.requirement("SV18"), arguments: fields.indices)
    func resultOfAPrivateOrUncacheableSourceIsNotStored(row: Int) async throws {
        let (fields, isKept) = Self.fields[row]
        let folder = Folder()
        let directory = folder.url.path
        let origin = try await Self.origin(fields)
        try await withService(origin: origin) {
            $0.cache.directory = directory
        } _: { service in
            let target = "/unsafe/8x8/127.0.0.1:\(origin.port)/a.png"
            let first = try await service.send(target)
            await service.engine.flush()
            let second = try await service.send(target)

            #expect(first.status == 200)
            #expect(second.status == 200)
            #expect(second["X-Cache"] == (isKept ? "memory" : "render"))
            #expect(origin.requests.count == (isKept ? 1 : 2))
            #expect(second["Set-Cookie"] == nil)
        }
        let files = try folder.paths(isFolder: false).filter { $0.contains("/v1/") }
        #expect(files.isEmpty == !isKept)
        await origin.stop()
    }

    @Test(.requirement("SV18")) func resultKeyContainsTheRendererVersion() {
        let canonical = ThumbnailRequest.cover(8, 8).canonicalBytes
        let keys = Set((0..<100).map { ResultKey(canonical: canonical, version: $0) })
        #expect(keys.count == 100)
        #expect(keys.contains(ResultKey(canonical: canonical)))
    }
}
