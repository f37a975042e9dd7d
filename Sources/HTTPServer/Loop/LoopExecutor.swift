import Synchronization

/// Runs the jobs of tasks on the thread of a loop, between two waits of the loop.
///
/// After the loop has ended, the jobs run on Swift's global executor, so that no task waits forever.
final class LoopExecutor: TaskExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let waker: LoopWaker

    init(_ waker: LoopWaker) { self.waker = waker }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isQueued = state.locked(in: self) { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            return true
        }
        if isQueued { waker.wake() } else { Self.runElsewhere(job) }
    }

    var isEmpty: Bool { state.locked(in: self) { $0.jobs.isEmpty } }

    /// Runs the jobs that are queued now, but not those that they queue. Called on the thread of the loop.
    func runJobs() {
        let jobs = state.locked(in: self) { state -> [UnownedJob] in
            if state.jobs.isEmpty { return [] }
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Called when the loop has ended.
    func close() {
        let jobs = state.locked(in: self) { state in
            state.isClosed = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { Self.runElsewhere(job) }
    }

    private static func runElsewhere(_ job: UnownedJob) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
}
