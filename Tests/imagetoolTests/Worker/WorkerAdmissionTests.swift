import Dispatch
import Testing

@testable import imagetool

/// Limits of requests in progress of `imagetool worker`.
@Suite struct WorkerAdmissionTests {
    /// True when `wait` returns before `release` is called; otherwise it must return afterwards.
    private func returns(
        _ wait: @escaping @Sendable () -> Void, before release: @Sendable () -> Void
    ) -> Bool {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "admission-test").async {
            wait()
            done.signal()
        }
        // A wait that must block can only be observed for a limited time.
        let isFree = done.wait(timeout: .now() + .milliseconds(50)) == .success
        release()
        if !isFree { done.wait() }
        return isFree
    }

    @Test func requestsAndBytesOverTheLimitsWaitForTheEndOfARequest() {
        let admission = WorkerAdmission(maxRequests: 2, maxBytes: 100)
        admission.begin(byteCount: 10)
        admission.waitForRequest()
        admission.begin(byteCount: 0)
        let isFree1 = returns({ admission.waitForRequest() }, before: { admission.end(1, byteCount: 0) })
        #expect(!isFree1)
        admission.waitForBytes(90)
        let isFree2 = returns({ admission.waitForBytes(91) }, before: { admission.end(0, byteCount: 10) })
        #expect(!isFree2)
    }

    @Test func oneRequestIsAdmittedWhateverItsSize() {
        let admission = WorkerAdmission(maxRequests: 4, maxBytes: 1)
        admission.waitForBytes(.max)
        admission.begin(byteCount: 1 << 40)
        let isFree3 = returns({ admission.waitForRequest() }, before: { admission.end(0, byteCount: 1 << 40) })
        #expect(!isFree3)
    }

    @Test func resultsCountUntilTheirRequestEnds() {
        let admission = WorkerAdmission(maxRequests: 4, maxBytes: 100)
        admission.begin(byteCount: 10)
        admission.add(byteCount: 90)
        let isFree4 = returns({ admission.waitForRequest() }, before: { admission.end(0, byteCount: 100) })
        #expect(!isFree4)
        admission.waitUntilIdle()
    }

    @Test func requestsOverTheLimitOfTheBytesStartInTheirOrderAndTheOldestAlways() async {
        let admission = WorkerAdmission(maxRequests: 8, maxBytes: 100)
        for _ in 0..<4 { admission.begin(byteCount: 10) }
        #expect((0..<4).allSatisfy(admission.mayStart))
        admission.replace(10, by: 80)
        #expect((0..<4).map(admission.mayStart) == [true, false, false, false], "the result of 2 waits for 0")

        admission.end(0, byteCount: 10)
        #expect((1..<4).map(admission.mayStart) == [true, false, false], "100 bytes")
        admission.end(2, byteCount: 80)
        #expect((1..<4).map(admission.mayStart) == [true, true, true], "20 bytes")
        admission.replace(10, by: 1000)
        #expect(admission.mayStart(1) && !admission.mayStart(3))
        admission.end(1, byteCount: 1000)
        // 2 ended before.
        #expect(admission.mayStart(3))
        admission.end(3, byteCount: 10)
        admission.waitUntilIdle()
    }

    @Test func waitingRequestStartsWhenItIsTheOldestOrWhenBytesAreReleased() async {
        for releasesBytes in [false, true] {
            let admission = WorkerAdmission(maxRequests: 8, maxBytes: 100)
            for _ in 0..<3 { admission.begin(byteCount: 50) }
            async let first: Void = admission.waitForStart(1)
            async let second: Void = admission.waitForStart(2)
            await admission.waitForStart(0)
            if releasesBytes {
                admission.replace(50, by: 0)
                admission.replace(50, by: 0)
                _ = await (first, second)
                continue
            }
            admission.replace(50, by: 500)
            admission.end(0, byteCount: 500)
            admission.add(byteCount: 500)
            await first
            #expect(!admission.mayStart(2))
            admission.end(1, byteCount: 550)
            await second
        }
    }
}
