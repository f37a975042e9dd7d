import Dispatch

/// The executor of response scripts: a thread outside Swift's cooperative thread pool. Tests may block the pool's
/// threads so long that clients would time out.
final class OriginThread: TaskExecutor {
    static let shared = OriginThread()

    // Dispatch runs a serial queue on a thread outside Swift's pool, even if all threads of the pool are blocked.
    private let queue = DispatchQueue(label: "loopback-origin")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
