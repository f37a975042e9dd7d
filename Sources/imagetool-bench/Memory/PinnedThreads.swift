import Foundation
import PlatformImage
import PlatformImageBenchmarking
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Threads that start the same work simultaneously, each pinned to a different core where the system supports it.
///
/// Without pinning, the kernel may run two threads that share a lock alternately on one core.
final class PinnedThreads: Sendable {
    private struct Span {
        var begin: Double
        var end: Double
        var cpu: Double
    }

    private let count: Int
    private let cores: [Int]
    private let arrived = Atomic(0)
    private let spans = Mutex<[Span]>([])

    private init(count: Int) {
        self.count = count
        cores = allowedCores()
    }

    /// Runs `work` with each of 0..<`count`, each on a different thread, and waits for all.
    ///
    /// - Returns: The total CPU time of the threads, and the wall time from the first start to the last end.
    static func time(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) -> Elapsed {
        let threads = PinnedThreads(count: count)
        let ended = DispatchSemaphore(value: 0)
        for number in 0..<count {
            let failure = DetachedThread.start {
                threads.run(number, work)
                ended.signal()
            }
            // Without this thread, the threads already started would spin forever.
            if let failure { preconditionFailure("cannot start a thread: error \(failure)") }
        }
        for _ in 0..<count { ended.wait() }
        let spans = threads.spans.locked(in: threads) { $0 }
        guard let begin = spans.map(\.begin).min(), let end = spans.map(\.end).max() else {
            return Elapsed(cpu: 0, wall: 0)
        }
        return Elapsed(cpu: spans.reduce(0) { $0 + $1.cpu }, wall: end - begin)
    }

    private func run(_ number: Int, _ work: (Int) -> Void) {
        if count <= cores.count { pinThread(to: cores[number]) }
        // Spin until all threads have started: a thread that must be woken would start late.
        arrived.add(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < count { sched_yield() }
        let (cpu, begin) = (nanoseconds(CLOCK_THREAD_CPUTIME_ID), nanoseconds(CLOCK_MONOTONIC))
        work(number)
        let span = Span(
            begin: begin, end: nanoseconds(CLOCK_MONOTONIC), cpu: nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu)
        spans.locked(in: self) { $0.append(span) }
    }
}

#if os(Linux)
// The C headers declare the two functions below only with _GNU_SOURCE, which an importing module cannot define.
@_silgen_name("sched_getaffinity")
private func schedulerGetAffinity(_ thread: pid_t, _ size: Int, _ set: UnsafeMutableRawPointer) -> Int32
@_silgen_name("sched_setaffinity")
private func schedulerSetAffinity(_ thread: pid_t, _ size: Int, _ set: UnsafeRawPointer) -> Int32

/// Cores that this process may run on, among the first 1,024.
private func allowedCores() -> [Int] {
    var set = [UInt8](repeating: 0, count: 128)
    let length = schedulerGetAffinity(0, set.count, &set)
    return length < 0 ? [] : (0..<set.count * 8).filter { set[$0 / 8] & 1 << ($0 % 8) != 0 }
}

private func pinThread(to core: Int) {
    var set = [UInt8](repeating: 0, count: 128)
    set[core / 8] |= 1 << (core % 8)
    // On failure the thread is not pinned, which is visible in the column cpu/wall.
    _ = schedulerSetAffinity(0, set.count, set)
}
#else
private func allowedCores() -> [Int] { [] }
private func pinThread(to core: Int) {}
#endif
