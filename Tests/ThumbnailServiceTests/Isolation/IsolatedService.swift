#if os(Linux)
import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Runs a service that decodes in worker processes.
func withIsolatedService<Value: Sendable>(
    log: ServiceLog = .none, _ change: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningService, DecodeWorkers) async throws -> Value
) async throws -> Value {
    try await withService(log: log) {
        $0.isolate()
        change(&$0)
    } _: { service in
        try await body(service, try #require(service.engine.isolation.workers))
    }
}

extension ServiceConfiguration {
    /// Decodes with the worker program of the tested build.
    mutating func isolate() {
        decode.isIsolated = true
        decode.decoderPath = BuiltProgram.path(of: "imagetool-decoder")
    }
}

extension RunningService {
    /// Requests a thumbnail of `file`.
    func thumbnail(_ size: String, of file: [UInt8]) async throws -> Reply {
        try await send("/post/unsafe/\(size)/body", method: "POST", body: file)
    }
}

extension DecodeWorkers {
    /// Waits until all workers and the spare one are alive.
    ///
    /// - Parameter count: Maximum number of concurrent decodes.
    func waitUntilStarted(_ count: Int) async { await yieldUntil { statistics.aliveWorkers == count + 1 } }

    func signal(_ number: Int32) { for process in processIdentifiers { kill(process, number) } }

    /// Sends a signal that ends processes to all workers, and returns after they have ended, so that the next request
    /// uses none of them.
    func end(by number: Int32) async {
        let identifiers = processIdentifiers
        for process in identifiers {
            kill(process, number)
            // A stopped process receives other signals than SIGKILL when it continues.
            kill(process, SIGCONT)
        }
        await yieldUntil { identifiers.allSatisfy(hasEnded) }
    }
}
#endif
