#if Service
import Dispatch
import Logging
import PlatformImageLoopbackOrigin
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Defect X1: look-ups that hang must not make healthy sources fail, nor be recorded against them.
@Suite(.timeLimit(.minutes(30))) struct SlowNameTests {
    /// Look-ups of names that begin with `slow` block a thread until ``release()``; every other name is loopback.
    private final class HangingNames: Resolver {
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
                return .failure(ServiceError(.originFailed, "the source's host was not found"))
            }
        }

        var holdsAllThreads: Bool { started.value >= 8 }
        var isReleased: Bool { !isHeld.value }

        func hold() { isHeld.update { $0 = true } }

        func release() {
            isHeld.update { $0 = false }
            gate.signal()
        }

        /// While names hang, every look-up runs out of time soon; later none does, however busy the machine is.
        func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
            try await system.addresses(of: name, within: isReleased ? nil : .milliseconds(20))
        }
    }

    private static func engine(_ resolver: HangingNames, port: Int) throws -> ThumbnailEngine {
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
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reader = try SourceReader(configuration, resolver: resolver, logger: logger)
        return ThumbnailEngine(configuration, sources: reader)
    }

    /// Why there is no picture of that side; nil when there is one.
    private static func failure(
        _ engine: ThumbnailEngine, _ host: String, _ port: Int, side: Int
    ) async -> ServiceError? {
        var request = ThumbnailRequest.fit(side, side)
        request.source = .url("http://\(host):\(port)/a.png")
        do throws(ServiceError) {
            _ = try await engine.answer(request)
            return nil
        } catch {
            return error
        }
    }

    /// 24 clients ask for one new slow name after the other while `body` runs, and until it releases them.
    private static func whileNamesHang(
        _ engine: ThumbnailEngine, _ names: HangingNames, _ port: Int, _ body: @Sendable () async throws -> Void
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
            // Whatever fails below: no thread must wait for ever.
            defer { names.release() }
            await yieldUntil { names.holdsAllThreads }
            try await body()
        }
    }

    @Test("X1 a source whose look-up gets no thread is 503 and is not held against it")
    func aSourceWithoutALookupIsOverloadedAndNotCounted() async throws {
        let picture = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(picture) }
        let names = HangingNames()
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

        #expect(engine.rememberedFailure(of: .url("http://healthy.test:\(port)/a.png")) == nil)
        #expect(await Self.failure(engine, "healthy.test", port, side: 5) == nil)
        await origin.stop()
    }

    @Test("X1 a source whose name was resolved before is served while all resolver threads hang")
    func aKnownNameIsServedWhileOthersHang() async throws {
        let picture = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(picture) }
        let names = HangingNames()
        let engine = try Self.engine(names, port: origin.port)
        let port = origin.port
        #expect(await Self.failure(engine, "healthy.test", port, side: 20) == nil)

        try await Self.whileNamesHang(engine, names, port) {
            for side in 1...4 { #expect(await Self.failure(engine, "healthy.test", port, side: side) == nil) }
        }
        await origin.stop()
    }
}
#endif
