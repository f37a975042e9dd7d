import Dispatch
import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Hanging look-ups of some names must not make other sources fail, and must not count as failures of these sources.
@Suite(.timeLimit(.minutes(30))) struct SlowLookupTests {
    /// Look-ups of names with the prefix `slow` block a thread until ``release()``; every other name resolves to
    /// loopback.
    private final class HangingResolver: Resolver {
        private let gate: DispatchSemaphore
        private let isHeld = Locked(false)
        private let started: Locked<Int>
        private let system: SystemResolver

        init() {
            let (gate, started) = (DispatchSemaphore(value: 0), Locked(0))
            (self.gate, self.started) = (gate, started)
            system = SystemResolver(width: 8) { name in
                guard name.hasPrefix("slow") else { return .success([.v4(0x7F00_0001)]) }
                started.update { $0 += 1 }
                gate.wait()
                gate.signal()
                return .failure(ServiceError(.originFailed, "the DNS lookup of the source's host failed"))
            }
        }

        var holdsAllThreads: Bool { started.value >= 8 }
        var isReleased: Bool { !isHeld.value }

        func hold() { isHeld.update { $0 = true } }

        func release() {
            isHeld.update { $0 = false }
            gate.signal()
        }

        /// While look-ups hang, they time out after 20 ms. Afterwards they have no timeout, so that a busy machine
        /// causes no failure.
        func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
            try await system.addresses(of: name, within: isReleased ? nil : .milliseconds(20))
        }
    }

    private static func engine(_ resolver: HangingResolver, port: Int) throws -> ThumbnailEngine {
        var configuration = ServiceConfiguration()
        configuration.source.allow = ["*"]
        configuration.source.ports = [port]
        configuration.source.allowedRanges = ["127.0.0.1/32"]
        configuration.source.connectTimeout = .seconds(3_600)
        configuration.source.firstByteTimeout = .seconds(3_600)
        configuration.source.timeout = .seconds(3_600)
        configuration.source.minRate = 0
        configuration.server.deadline = .seconds(3_600)
        configuration.limits.queueWait = .seconds(3_600)
        let reader = try SourceReader(configuration, resolver: resolver)
        return ThumbnailEngine(configuration, sources: reader)
    }

    /// The error of a request for an image that fits a square of `side` pixels; nil for success.
    private static func failure(
        _ engine: ThumbnailEngine, _ host: String, _ port: Int, side: Int
    ) async -> ServiceError? {
        var request = ThumbnailRequest.fit(side, side)
        request.source = .url("http://\(host):\(port)/a.png")
        do throws(ServiceError) {
            _ = try await engine.result(for: request)
            return nil
        } catch {
            return error
        }
    }

    /// While `body` runs, 24 clients request images from slow host names, a new name each time.
    private static func whileNamesHang(
        _ engine: ThumbnailEngine, _ names: HangingResolver, _ port: Int, _ body: @Sendable () async throws -> Void
    ) async throws {
        names.hold()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<24 {
                group.addTask {
                    for number in 0... {
                        if names.isReleased || Task.isCancelled { return }
                        _ = await failure(engine, "slow\(client)-\(number).test", port, side: 8)
                    }
                }
            }
            // Releases the threads even if `body` throws.
            defer { names.release() }
            await yieldUntil { names.holdsAllThreads }
            try await body()
        }
    }

    @Test(.requirement("X1")) func dnsLookupWithoutAFreeThreadIs503AndNotCountedAsSourceFailure() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(image) }
        let names = HangingResolver()
        let engine = try Self.engine(names, port: origin.port)
        let port = origin.port

        try await Self.whileNamesHang(engine, names, port) {
            for side in 1...4 {
                let error = await Self.failure(engine, "healthy.test", port, side: side)
                #expect(error?.reason == .overloaded)
                #expect(error?.status == 503)
                #expect((error?.retryAfter ?? 3_600) <= 10)
            }
        }

        #expect(engine.storedFailure(of: .url("http://healthy.test:\(port)/a.png")) == nil)
        #expect(await Self.failure(engine, "healthy.test", port, side: 5) == nil)
        await origin.stop()
    }

    @Test(.requirement("X1")) func sourceOnAPreviouslyResolvedHostIsFetchedWhileAllResolverThreadsHang() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(image) }
        let names = HangingResolver()
        let engine = try Self.engine(names, port: origin.port)
        let port = origin.port
        #expect(await Self.failure(engine, "healthy.test", port, side: 20) == nil)

        try await Self.whileNamesHang(engine, names, port) {
            for side in 1...4 { #expect(await Self.failure(engine, "healthy.test", port, side: side) == nil) }
        }
        await origin.stop()
    }
}
