#if Service
import Dispatch
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Defect X1: what one owner of names can take of the resolver's threads.
@Suite(.timeLimit(.minutes(30))) struct LookupLimitTests {
    /// A resolver whose look-ups of all names but `fast…` block until they are released, by a clock that the test moves.
    private final class Held: Sendable {
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

        /// Look-ups that have begun, in their order.
        var begun: [String] { names.value }

        func release() { gate.signal() }
        func pass(_ duration: Duration) { time.update { $0 += duration } }

        func failure(_ name: String, within timeout: Duration? = nil) async -> ServiceError? {
            do throws(ServiceError) {
                _ = try await resolver.addresses(of: name, within: timeout)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("X1 two names of one registrable domain are looked up at once, the others wait")
    func aDomainHasTwoLookupsAtOnce() async {
        let held = Held(width: 4)
        defer { held.release() }
        let tasks = (0..<6).map { number in Task { await held.failure("slow\(number).example.co.uk") } }
        await yieldUntil { held.begun.count >= 2 }

        // A thread is free for every other domain, and none for a third name of this one.
        #expect(await held.failure("fast.other.co.uk") == nil)
        #expect(await held.failure("fast.example.co.uk", within: .milliseconds(20))?.reason == .overloaded)
        #expect(held.begun.filter { $0.hasSuffix("example.co.uk") }.count == 2)
        held.release()

        for task in tasks { #expect(await task.value == nil) }
        #expect(Set(held.begun).count == 7)
    }

    @Test("X1 requests for one name share one look-up") func requestsForOneNameShareOneLookup() async {
        let held = Held(width: 4)
        defer { held.release() }
        let tasks = (0..<40).map { _ in Task { await held.failure("slow.test") } }
        await yieldUntil { held.begun.count >= 1 }
        held.release()

        for task in tasks { #expect(await task.value == nil) }
        // A request that came after the look-up had ended has one of its own, which ends at once.
        #expect(Set(held.begun) == ["slow.test"])
    }

    @Test("X1 a failed name fails at once for 5 s", arguments: [ServiceError.Reason.originFailed, .originTimeout])
    func aFailedNameFailsAtOnce(_ reason: ServiceError.Reason) async {
        let held = Held(width: 1, failure: ServiceError(reason, ""))
        #expect(await held.failure("fast.test")?.retryAfter == nil)
        for passed in 0..<5 {
            let error = await held.failure("fast.test")
            #expect(error?.reason == reason)
            #expect(error?.retryAfter == 5 - passed)
            held.pass(.seconds(1))
        }
        #expect(held.begun.count == 1)

        #expect(await held.failure("fast.test")?.retryAfter == nil)
        #expect(held.begun.count == 2)
    }

    @Test("X1 a slow name fails at once for 5 s, until its look-up ends")
    func aSlowNameFailsAtOnce() async {
        let held = Held(width: 2)
        defer { held.release() }
        #expect(await held.failure("slow.test", within: .milliseconds(20))?.reason == .originTimeout)

        let error = await held.failure("slow.test")
        #expect(error?.reason == .originTimeout)
        #expect(error?.retryAfter == 5)
        held.pass(.seconds(5))
        let joined = Task { await held.failure("slow.test") }
        held.release()
        #expect(await joined.value == nil)
        #expect(await held.failure("slow.test") == nil)
    }

    @Test("X1 addresses from the last 10 min answer for a name that cannot be looked up")
    func staleAddressesAnswer() async {
        let held = Held(width: 1)
        defer { held.release() }
        #expect(await held.failure("fast.test") == nil)
        let slow = Task { await held.failure("slow.test") }
        await yieldUntil { held.begun.contains("slow.test") }

        #expect(await held.failure("fast.test") == nil)
        held.pass(.seconds(600))
        #expect(await held.failure("fast.test", within: .milliseconds(20))?.reason == .overloaded)
        #expect(held.begun.count == 2)
        held.release()
        #expect(await slow.value == nil)
    }

    @Test("X1 more requests than may wait are refused at once", arguments: [true, false])
    func moreThanMayWaitAreRefused(isOneDomain: Bool) async {
        let held = Held(width: 1)
        defer { held.release() }
        let most = isOneDomain ? LookupTable.maxWaitingPerDomain : LookupTable.maxWaiting
        let first = Task { await held.failure("slow.test") }
        await yieldUntil { held.begun.count == 1 }
        let reasons = await withTaskGroup(of: ServiceError?.self) { group in
            for number in 0..<(most + 10) {
                group.addTask { await held.failure("slow\(number)." + (isOneDomain ? "one.test" : "\(number).test")) }
            }
            var reasons: [ServiceError.Reason?] = []
            // Those that are refused end at once; the others only when they are released.
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
        "X1 the registrable domain is the last two labels, or three below a registry of a country",
        arguments: [
            ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("localhost", "localhost"),
            ("a.example.co.uk", "example.co.uk"), ("a.b.example.com.au", "example.com.au"), ("co.uk", "co.uk"),
            ("a.github.io", "github.io"), ("a.co.example", "co.example"), ("a.net.xyz", "net.xyz"),
            ("slow1.slow-2.test", "slow-2.test"),
        ])
    func theRegistrableDomain(_ name: String, _ domain: String) {
        #expect(SystemResolver.registrableDomain(of: name) == domain)
    }
}
#endif
