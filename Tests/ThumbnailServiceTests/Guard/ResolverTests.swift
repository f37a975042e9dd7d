import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

@Suite(.timeLimit(.minutes(30))) struct ResolverTests {
    private func reason(
        _ resolver: SystemResolver, _ name: String = "a.test", within timeout: Duration?
    ) async -> ServiceError.Reason? {
        do throws(ServiceError) {
            _ = try await resolver.addresses(of: name, within: timeout)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func localhostResolvesToLoopback() async throws {
        let resolver = SystemResolver()

        let addresses = try await resolver.addresses(of: "localhost", within: nil)

        #expect(addresses.contains(.v4(0x7F00_0001)) || addresses.contains(.v6(1)))
        #expect(addresses.allSatisfy { !AddressTable().allows($0) })
        #expect(Set(addresses).count == addresses.count)
    }

    @Test(.requirement("SV20")) func hangingDNSLookupEndsWithOriginTimeout() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver = SystemResolver(width: 1) { _ in
            gate.wait()
            return .success([.v4(1)])
        }

        #expect(await reason(resolver, within: .milliseconds(20)) == .originTimeout)
        // The thread is still blocked: the look-up of another name waits for the thread and times out before it begins.
        #expect(await reason(resolver, "b.test", within: .milliseconds(20)) == .overloaded)
        let cancelled = Task { await reason(resolver, "b.test", within: nil) }
        cancelled.cancel()
        #expect(await cancelled.value == .deadline)
        gate.signal()
        gate.signal()
        #expect(await reason(resolver, "b.test", within: nil) == nil)
    }

    @Test func errorOfTheLookupIsThrownByTheResolver() async {
        let resolver = SystemResolver { _ in .failure(ServiceError(.originFailed, "")) }

        #expect(await reason(resolver, within: nil) == .originFailed)
    }
}
