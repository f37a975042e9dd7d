import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// An `ImageSlot` with a real loader, whose transport responds from memory.
@Suite(.timeLimit(.minutes(30)))
struct ImageSlotLoaderTests {
    /// Responds to every request with the same image.
    private struct Origin: HTTPTransport {
        let cacheControl: String
        let requests = Locked(0)

        func validate(_ trust: TrustSettings) throws(LoadError) {}

        func send(
            _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
        ) async throws -> HTTPResponse {
            requests.update { $0 += 1 }
            let file = try Fixture.named("png/rgba8.png").load()
            let rest = Locked<[UInt8]?>(file)
            return HTTPResponse(
                head: ResponseHead(
                    status: 200,
                    fields: [
                        "Content-Type": "image/png", "Content-Length": "\(file.count)", "Cache-Control": cacheControl,
                    ]),
                body: HTTPBody {
                    defer { rest.update { $0 = nil } }
                    return rest.value
                })
        }
    }

    private func loader(_ origin: Origin, in folder: DiskFolder) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = folder.path + "/images"
        configuration.dataDirectory = folder.path + "/data"
        configuration.cacheImagesInMemory = true
        return try ImageLoader(configuration: configuration, transport: origin)
    }

    private func finalImage(of slot: ImageSlot) async -> (source: LoadSource, isImmediate: Bool)? {
        for await state in slot.states {
            switch state {
            case .image(_, let source, true, let isImmediate): return (source, isImmediate)
            case .failed: return nil
            default: break
            }
        }
        return nil
    }

    @Test(.requirement("O61", "O79"))
    func secondSlotShowsAnImageLoadedByTheFirstSlotImmediatelyFromMemory() async throws {
        let folder = try DiskFolder()
        let origin = Origin(cacheControl: "max-age=1000")
        let loader = try loader(origin, in: folder)
        let slot = ImageSlot(loader: loader)
        let request = ImageRequest(url: "http://example.com/a.png")

        slot.assign(request)
        #expect(await finalImage(of: slot)?.source == .networkToDisk)
        let second = ImageSlot(loader: loader)
        second.assign(request)

        #expect(second.state.bitmap?.width == slot.state.bitmap?.width)
        #expect(await finalImage(of: second)?.isImmediate == true)
        slot.release()
        #expect(await finalImage(of: slot)?.isImmediate == true)
        #expect(origin.requests.value == 1)
    }

    @Test(.requirement("O54"))
    func memoryLookupFindsNoFreshImageAfterExpiryOrPurgeOrForADifferentRequest() async throws {
        let folder = try DiskFolder()
        let stale = try loader(Origin(cacheControl: "max-age=0"), in: folder)
        let request = ImageRequest(url: "http://example.com/a.png")
        _ = try await stale.image(for: request)
        #expect(stale.cachedImage(for: request, layers: .memory)?.isFresh != true)

        let fresh = try loader(Origin(cacheControl: "max-age=1000"), in: folder)
        let other = ImageRequest(url: "http://example.com/b.png")
        _ = try await fresh.image(for: other)
        #expect(fresh.cachedImage(for: other, layers: .memory)?.isFresh == true)
        var mine = other
        mine.fields = ["Authorization": "Basic x"]
        #expect(fresh.cachedImage(for: mine, layers: .memory)?.isFresh != true)
        mine = other
        mine.policy = .reload
        #expect(fresh.cachedImage(for: mine, layers: .memory)?.isFresh != true)
        mine = other
        mine.layers.remove(.readsMemory)
        #expect(fresh.cachedImage(for: mine, layers: .memory)?.isFresh != true)
        _ = await fresh.purgeDisk()
        #expect(fresh.cachedImage(for: other, layers: .memory)?.isFresh != true)
    }
}
