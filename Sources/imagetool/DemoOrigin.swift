#if Tool && AsyncHTTPClient
import PlatformImageLoopbackOrigin
import Synchronization

/// An origin in this process that serves the pictures of a demonstration and counts what it is asked.
final class DemoOrigin: Sendable {
    struct Counts: Sendable {
        var requests = 0
        var bodyBytes = 0
    }

    /// Counted before an answer is sent, so that whoever has the answer finds it counted.
    private final class Counter: Sendable {
        let counts = Mutex(Counts())
    }

    private let origin: LoopbackOrigin
    private let counter: Counter

    init(_ pictures: DemoPictures) async throws {
        let counter = Counter()
        self.counter = counter
        origin = try await LoopbackOrigin { request in
            let response = pictures.resource(request.target)?.response(to: request) ?? OriginResponse(status: 404)
            counter.counts.withLock { counts in
                counts.requests += 1
                counts.bodyBytes += response.body.count
            }
            return .response(response)
        }
    }

    var counts: Counts { counter.counts.withLock { $0 } }

    func url(_ path: String) -> String { origin.url(path) }

    func stop() async { await origin.stop() }
}
#endif
