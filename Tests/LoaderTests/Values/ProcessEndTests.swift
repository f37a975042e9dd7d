import Foundation
import Testing

@testable import PlatformImageLoader

/// The end of a process whose threads still use libcrypto. The address sanitizer, which searches for leaks at the end,
/// does not run this suite.
struct ProcessEndTests {
    /// exit() must not release the state of libcrypto while other threads use it, or end.
    @Test(arguments: 1...6) func processEndsNormallyWhileOtherThreadsHash(_ threads: Int) async {
        await #expect(processExitsWith: .exitCode(7)) { [threads] in
            let hasStarted = DispatchSemaphore(value: 0)
            for index in 0..<8 {
                Thread.detachNewThread {
                    repeat {
                        _ = (SHA256.hash([1]), secureRandomBytes(16))
                        hasStarted.signal()
                    } while index < threads
                }
            }
            for _ in 0..<200 { hasStarted.wait() }
            exit(7)
        }
    }
}
