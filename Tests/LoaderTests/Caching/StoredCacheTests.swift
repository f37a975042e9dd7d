import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Entries stored by an earlier version (`Fixtures/stored`) are readable, verified and fresh.
@Suite struct StoredCacheTests {
    private let folder: DiskFolder
    private let transport = ScriptedTransport(.offline)
    private static let origin = "http://127.0.0.1:47381"

    init() throws {
        folder = try DiskFolder()
        let stored = Fixture.folder.appending(path: "stored/cache").path()
        let names = try FileManager.default.subpathsOfDirectory(atPath: stored)
        for name in names.sorted() {
            let source = URL(filePath: stored).appending(path: name)
            let copy = folder.path + "/" + name
            if try source.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                // The file mode that the cache sets. A folder that is checked out under umask 002 is writable for the
                // group, and the cache would not use it.
                try FileManager.default.createDirectory(
                    atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            } else {
                try Data(contentsOf: source).write(to: URL(filePath: copy))
            }
        }
    }

    private func key(_ path: String) throws -> CacheKey { try #require(CacheKey(url: Self.origin + path)) }

    /// A loader without a network, one minute after the first entry was stored.
    private func loader() throws -> ImageLoader {
        let head = try #require(DiskCache(directory: folder.path).header(try key("/plain.png")))
        let now = try #require(head.entry.response).responseTime.adding(milliseconds: 60_000)
        var configuration = ImageLoader.Configuration(cacheDirectory: folder.path)
        configuration.dataDirectory = nil
        configuration.defaultCacheControlMaxAgeForErrors = .seconds(31_536_000)
        configuration.maxAttemptsForErrors = 2
        configuration.clock = { now }
        return try ImageLoader(configuration: configuration, transport: transport)
    }

    private func request(_ path: String, _ fields: HeaderFields = [:]) -> ImageRequest {
        ImageRequest(url: Self.origin + path, fields: fields)
    }

    @Test func entriesStoredByAnEarlierReleaseAreFreshDiskHits() async throws {
        let loader = try loader()
        let cases: [(path: String, fields: HeaderFields, height: Int)] = [
            ("/plain.png", [:], 10), ("/vary.png", ["Accept-Language": "de"], 10),
            ("/vary.png", ["Accept-Language": "fr"], 11),
            ("/private.png", ["Authorization": "Bearer stored-token"], 10), ("/moved.png", [:], 10),
        ]
        for (path, fields, height) in cases {
            let image = try await loader.image(for: request(path, fields))
            #expect(image.source == .disk && image.isFresh && image.isStored, "\(path) \(fields)")
            #expect(image.bitmap.width == 12 && image.bitmap.height == height, "\(path) \(fields)")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [("/missing.png", 404), ("/failing.png", 503)])
    func errorStoredByAnEarlierReleaseFailsALoadWithoutARequest(_ path: String, _ status: Int) async throws {
        let loader = try loader()
        do {
            _ = try await loader.image(for: request(path))
            Issue.record("\(path) returned an image")
        } catch {
            #expect(error.code == .remembered && error.original == .http && error.statusCode == status, "\(error)")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func entryStoredWithCredentialsIsNotFoundWithoutThemOrWithOtherCredentials() async throws {
        let loader = try loader()
        for fields: HeaderFields in [[:], ["Authorization": "Bearer other"]] {
            #expect(await loader.lookUpImage(for: request("/private.png", fields)) == nil)
        }
    }

    @Test func everyEntryStoredByAnEarlierReleasePassesVerification() async throws {
        let result = await DiskCache(directory: folder.path).verify()

        #expect(result.checked == 7 && result.good == 7 && result.bad == [] && result.unread == 0)
    }
}
