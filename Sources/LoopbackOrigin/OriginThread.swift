#if AsyncHTTPClient
import Dispatch

/// The executor of response scripts: a thread outside Swift's cooperative thread pool. Tests may block the pool's
/// threads so long that clients would time out.
final class OriginThread: TaskExecutor {
    static let shared = OriginThread()

    // A serial queue gets a thread whenever it has work, however busy the other threads are.
    private let queue = DispatchQueue(label: "loopback-origin")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
