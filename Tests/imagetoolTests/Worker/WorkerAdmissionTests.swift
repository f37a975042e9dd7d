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
        let isFree1 = returns({ admission.waitForRequest() }, before: { admission.end(byteCount: 0) })
        #expect(!isFree1)
        admission.waitForBytes(90)
        let isFree2 = returns({ admission.waitForBytes(91) }, before: { admission.end(byteCount: 10) })
        #expect(!isFree2)
    }

    @Test func oneRequestIsAdmittedWhateverItsSize() {
        let admission = WorkerAdmission(maxRequests: 4, maxBytes: 1)
        admission.waitForBytes(.max)
        admission.begin(byteCount: 1 << 40)
        let isFree3 = returns({ admission.waitForRequest() }, before: { admission.end(byteCount: 1 << 40) })
        #expect(!isFree3)
    }

    @Test func resultsCountUntilTheirRequestEnds() {
        let admission = WorkerAdmission(maxRequests: 4, maxBytes: 100)
        admission.begin(byteCount: 10)
        admission.add(byteCount: 90)
        let isFree4 = returns({ admission.waitForRequest() }, before: { admission.end(byteCount: 100) })
        #expect(!isFree4)
        admission.waitUntilIdle()
    }
}
