import Dispatch
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Limits on resolver threads per registrable domain, and the cache of failed look-ups.
@Suite(.timeLimit(.minutes(30))) struct LookupLimitTests {
    /// A resolver that blocks look-ups of every name without the prefix `fast` until `release()`; the test sets its
    /// clock.
    private final class BlockingResolver: Sendable {
        let resolver: SystemResolver
        private let gate: DispatchSemaphore
        private let time: Locked<ContinuousClock.Instant>
        private let names: Locked<[String]>

        init(width: Int, failure: ServiceError? = nil) {
            let (gate, time) = (DispatchSemaphore(value: 0), Locked(ContinuousClock.now))
            let names = Locked<[String]>([])
            (self.gate, self.time, self.names) = (gate, time, names)
            resolver = SystemResolver(
                width: width,
                lookUp: { name in
                    names.update { $0.append(name) }
                    if !name.hasPrefix("fast") {
                        gate.wait()
                        gate.signal()
                    }
                    return failure.map { .failure($0) } ?? .success([.v4(1)])
                }, clock: { time.value })
        }

        /// Look-ups that have begun, in order.
        var begun: [String] { names.value }

        func release() { gate.signal() }
        func advanceClock(_ duration: Duration) { time.update { $0 += duration } }

        func failure(_ name: String, within timeout: Duration? = nil) async -> ServiceError? {
            do throws(ServiceError) {
                _ = try await resolver.addresses(of: name, within: timeout)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(.requirement("X1")) func thirdConcurrentDNSLookupOfADomainWaits() async {
        let held = BlockingResolver(width: 4)
        defer { held.release() }
        let tasks = (0..<6).map { number in Task { await held.failure("slow\(number).example.co.uk") } }
        await yieldUntil { held.begun.count >= 2 }

        // A thread is free for every other domain, but not for a third name of this domain.
        #expect(await held.failure("fast.other.co.uk") == nil)
        #expect(await held.failure("fast.example.co.uk", within: .milliseconds(20))?.reason == .overloaded)
        #expect(held.begun.filter { $0.hasSuffix("example.co.uk") }.count == 2)
        held.release()

        for task in tasks { #expect(await task.value == nil) }
        #expect(Set(held.begun).count == 7)
    }

    @Test(.requirement("X1")) func concurrentRequestsForOneNameShareOneDNSLookup() async {
        let held = BlockingResolver(width: 4)
        defer { held.release() }
        let tasks = (0..<40).map { _ in Task { await held.failure("slow.test") } }
        await yieldUntil { held.begun.count >= 1 }
        held.release()

        for task in tasks { #expect(await task.value == nil) }
        // A request that arrives after the end of the look-up starts another look-up, which ends immediately.
        #expect(Set(held.begun) == ["slow.test"])
    }

    @Test(.requirement("X1"), arguments: [ServiceError.Reason.originFailed, .originTimeout])
    func requestsFailImmediatelyFor5SecondsAfterAFailedDNSLookup(_ reason: ServiceError.Reason) async {
        let held = BlockingResolver(width: 1, failure: ServiceError(reason, ""))
        #expect(await held.failure("fast.test")?.retryAfter == nil)
        for passed in 0..<5 {
            let error = await held.failure("fast.test")
            #expect(error?.reason == reason)
            #expect(error?.retryAfter == 5 - passed)
            held.advanceClock(.seconds(1))
        }
        #expect(held.begun.count == 1)

        #expect(await held.failure("fast.test")?.retryAfter == nil)
        #expect(held.begun.count == 2)
    }

    @Test(.requirement("X1")) func requestsFailImmediatelyFor5SecondsAfterATimedOutDNSLookup() async {
        let held = BlockingResolver(width: 2)
        defer { held.release() }
        #expect(await held.failure("slow.test", within: .milliseconds(20))?.reason == .originTimeout)

        let error = await held.failure("slow.test")
        #expect(error?.reason == .originTimeout)
        #expect(error?.retryAfter == 5)
        held.advanceClock(.seconds(5))
        let joined = Task { await held.failure("slow.test") }
        held.release()
        #expect(await joined.value == nil)
        #expect(await held.failure("slow.test") == nil)
    }

    @Test(.requirement("X1")) func addressesResolvedInTheLast10MinutesAreUsedWhileAllDNSThreadsAreBusy() async {
        let held = BlockingResolver(width: 1)
        defer { held.release() }
        #expect(await held.failure("fast.test") == nil)
        let slow = Task { await held.failure("slow.test") }
        await yieldUntil { held.begun.contains("slow.test") }

        #expect(await held.failure("fast.test") == nil)
        held.advanceClock(.seconds(600))
        #expect(await held.failure("fast.test", within: .milliseconds(20))?.reason == .overloaded)
        #expect(held.begun.count == 2)
        held.release()
        #expect(await slow.value == nil)
    }

    @Test(.requirement("X1"), arguments: [true, false])
    func requestsOverTheLimitOfWaitingDNSLookupsAreRefused(isOneDomain: Bool) async {
        let held = BlockingResolver(width: 1)
        defer { held.release() }
        let most = isOneDomain ? LookupTable.maxWaitingPerDomain : LookupTable.maxWaiting
        let first = Task { await held.failure("slow.test") }
        await yieldUntil { held.begun.count == 1 }
        let reasons = await withTaskGroup(of: ServiceError?.self) { group in
            for number in 0..<(most + 10) {
                group.addTask { await held.failure("slow\(number)." + (isOneDomain ? "one.test" : "\(number).test")) }
            }
            var reasons: [ServiceError.Reason?] = []
            // Refused requests end immediately; the others end after `release()`.
            while reasons.count < 10, let next = await group.next() { reasons.append(next?.reason) }
            held.release()
            for await next in group { reasons.append(next?.reason) }
            return reasons
        }

        #expect(reasons.prefix(10).allSatisfy { $0 == .overloaded })
        #expect(reasons.filter { $0 == nil }.count == most)
        #expect(await first.value == nil)
    }

    @Test(
        .requirement("X1"),
        arguments: [
            ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("localhost", "localhost"),
            ("a.example.co.uk", "example.co.uk"), ("a.b.example.com.au", "example.com.au"), ("co.uk", "co.uk"),
            ("a.github.io", "github.io"), ("a.co.example", "co.example"), ("a.net.xyz", "net.xyz"),
            ("slow1.slow-2.test", "slow-2.test"),
        ])
    func registrableDomainHasTwoLabelsAndThreeUnderACountryRegistry(_ name: String, _ domain: String) {
        #expect(SystemResolver.registrableDomain(of: name) == domain)
    }
}
