#if AsyncHTTPClient
import Dispatch

/// Where answers are played: on a thread beside Swift's few shared ones, which tests may keep busy for so long that
/// whoever waits for an answer loses patience.
final class OriginThread: TaskExecutor {
    static let shared = OriginThread()

    // A serial queue gets a thread whenever it has work, however many others wait for one.
    private let queue = DispatchQueue(label: "loopback-origin")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
