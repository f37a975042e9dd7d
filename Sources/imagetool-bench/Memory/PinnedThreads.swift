import Foundation
import PlatformImage
import PlatformImageBenchmarking
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Threads that begin the same work at the same instant, each on a core of its own where the system lets one choose.
///
/// Without that the kernel may run two threads that share a lock in turn on one core, and "two threads" measures one.
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

    /// Runs `work` with 0..<count, each on its own thread, and waits for all.
    ///
    /// - Returns: The CPU time of these threads together; the wall time from the first begin to the last end.
    static func time(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) -> Elapsed {
        let threads = PinnedThreads(count: count)
        let ended = DispatchSemaphore(value: 0)
        for number in 0..<count {
            let failure = DetachedThread.start {
                threads.run(number, work)
                ended.signal()
            }
            // The others would spin for ever.
            if let failure { preconditionFailure("no thread can be started: error \(failure)") }
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
        // They spin until all are there: one that has to be woken begins when the others are well ahead.
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
// The headers show these two to programs that define _GNU_SOURCE only, which an importing module cannot do.
@_silgen_name("sched_getaffinity")
private func schedulerGetAffinity(_ thread: pid_t, _ size: Int, _ set: UnsafeMutableRawPointer) -> Int32
@_silgen_name("sched_setaffinity")
private func schedulerSetAffinity(_ thread: pid_t, _ size: Int, _ set: UnsafeRawPointer) -> Int32

/// The cores that this process may run on, of the first 1,024.
private func allowedCores() -> [Int] {
    var set = [UInt8](repeating: 0, count: 128)
    let length = schedulerGetAffinity(0, set.count, &set)
    return length < 0 ? [] : (0..<set.count * 8).filter { set[$0 / 8] & 1 << ($0 % 8) != 0 }
}

private func pinThread(to core: Int) {
    var set = [UInt8](repeating: 0, count: 128)
    set[core / 8] |= 1 << (core % 8)
    // When it fails the thread runs where the kernel likes, and the column cpu/wall shows it.
    _ = schedulerSetAffinity(0, set.count, set)
}
#else
private func allowedCores() -> [Int] { [] }
private func pinThread(to core: Int) {}
#endif
