#if Service
import Foundation
import TestSupport
import Testing

@testable import ThumbnailService

@Suite(.timeLimit(.minutes(30))) struct ResolverTests {
    private func reason(_ resolver: SystemResolver, within timeout: Duration?) async -> ServiceError.Reason? {
        do throws(ServiceError) {
            _ = try await resolver.addresses(of: "a.test", within: timeout)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func theSystemKnowsThisMachine() async throws {
        let resolver = SystemResolver()

        let addresses = try await resolver.addresses(of: "localhost", within: nil)

        #expect(addresses.contains(.v4(0x7F00_0001)) || addresses.contains(.v6(1)))
        #expect(addresses.allSatisfy { !AddressTable().admits($0) })
        #expect(Set(addresses).count == addresses.count)
    }

    // SV20
    @Test func aLookupThatHangsIsGivenUp() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver = SystemResolver(width: 1) { _ in
            gate.wait()
            return .success([.v4(1)])
        }

        #expect(await reason(resolver, within: .milliseconds(20)) == .originTimeout)
        // The thread still hangs: the next one waits in the queue, and its time runs out too.
        #expect(await reason(resolver, within: .milliseconds(20)) == .originTimeout)
        let cancelled = Task { await reason(resolver, within: nil) }
        cancelled.cancel()
        #expect(await cancelled.value == .originTimeout)
        gate.signal()
        gate.signal()
        #expect(await reason(resolver, within: nil) == nil)
        gate.signal()
    }

    @Test func aNameWithoutAnAddressFails() async {
        let resolver = SystemResolver { _ in .failure(ServiceError(.originFailed, "")) }

        #expect(await reason(resolver, within: nil) == .originFailed)
    }

    @Test func moreLookupsThanMayWaitAreRefused() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver = SystemResolver(width: 1) { _ in
            gate.wait()
            return .success([.v4(1)])
        }
        let count = SystemResolver.mostWaiting + 10
        let reasons = await withTaskGroup(of: ServiceError.Reason?.self) { group in
            for _ in 0..<count { group.addTask { await self.reason(resolver, within: nil) } }
            var reasons: [ServiceError.Reason?] = []
            // Those that are refused end at once; the others only when they are let go.
            while reasons.count < 10, let next = await group.next() { reasons.append(next) }
            for _ in 0..<count { gate.signal() }
            for await next in group { reasons.append(next) }
            return reasons
        }

        #expect(reasons.prefix(10).allSatisfy { $0 == .overloaded })
        #expect(reasons.filter { $0 == nil }.count == SystemResolver.mostWaiting)
    }
}
#endif
