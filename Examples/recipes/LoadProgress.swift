import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

/// The states of an image view while its image loads.
enum ImageViewState {
    /// Part of the body that was received, 0...1; nil when the size is unknown.
    case loading(progress: Double?)
    /// An image, and false when a newer one may follow.
    case image(Bitmap, isFinal: Bool)
    case failed(LoadError)
}

/// Shows an image, with its progress. A stored image is shown at once, even if it must be validated.
///
/// Cancelling the calling task cancels the load.
func show(_ request: ImageRequest, loader: ImageLoader, in view: (ImageViewState) -> Void) async {
    for await event in loader.events(for: request) {
        switch event {
        case .cached(let image): view(.image(image.bitmap, isFinal: image.isFresh))
        case .sendingRequest(let didHaveCachedImage): if !didHaveCachedImage { view(.loading(progress: nil)) }
        case .progress(let received, let expected):
            view(.loading(progress: expected.map { Double(received) / Double($0) }))
        case .retrying: view(.loading(progress: nil))
        case .finished(.success(let image)): view(.image(image.bitmap, isFinal: true))
        case .finished(.failure(let error)): view(.failed(error))
        @unknown default: break
        }
    }
}

extension RecipeTests {
    @Test func progressIsReportedBeforeTheImage() async throws {
        let (folder, bytes, gate) = (try TemporaryFolder(), try example("demo/logo.png"), OriginGate())
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(fields: [OriginField("Content-Type", "image/png")], body: bytes)
            (response.chunkSize, response.bodyGate) = (4_096, gate)
            return .response(response)
        }
        let loader = try ImageLoader(configuration: .server(directory: folder.path))

        var states: [ImageViewState] = []
        await show(ImageRequest(url: origin.url("/logo.png")), loader: loader) { state in
            states.append(state)
            gate.open()  // the body is sent after the first state was shown
        }

        guard case .loading(nil) = states.first else { return #expect(Bool(false), "no state before the body") }
        guard case .image(let bitmap, true) = states.last else { return #expect(Bool(false), "no image at the end") }
        #expect(bitmap.width == 320)
        let progress = states.compactMap { if case .loading(let part) = $0 { part } else { nil } }
        #expect(!progress.isEmpty && progress == progress.sorted() && progress.allSatisfy { 0...1 ~= $0 })
    }
}
