import PlatformImageLoader
import Testing

@testable import PlatformImageService

/// Docs/service-rules.md 2.4: the error response to a failed load.
@Suite struct ServiceErrorLoadTests {
    @Test func loadErrorIsMappedToItsStatusAndReason() {
        let cause = ServiceError(.portRefused, "")
        let table: [(error: LoadError, status: Int, reason: ServiceError.Reason)] = [
            (.refused("", cause: cause), 403, .portRefused), (.refused(""), 403, .addressRefused),
            (.transport("", cause: ServiceError(.originTimeout, "")), 504, .originTimeout),
            (.transport("", isTimeout: true), 504, .originTimeout), (.transport(""), 502, .originFailed),
            (.tls(""), 502, .originFailed), (.bodyTooLarge(""), 413, .tooLarge), (.cancelled(), 504, .deadline),
            (.configuration(""), 500, .internalFault),
        ]
        for row in table {
            let error = ServiceError(row.error)
            #expect(error.status == row.status, "\(row.error)")
            #expect(error.reason == row.reason, "\(row.error)")
        }
    }
}
