import Dispatch
import PlatformImage
import PlatformImageToolSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whole lines on stdout, one after the other, written on a queue of their own because a full pipe blocks.
final class PipeOutput: Sendable {
    private let queue = DispatchQueue(label: "imagetool.pipe.output")
    private let isClosed = Mutex(false)

    /// Writes a line, which needs no newline; returns when the system has taken it, or nobody reads any more.
    func write(_ line: [UInt8]) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async { [self] in
                if !isClosed.locked(in: self, { $0 }) {
                    let isWritten = (line + [UInt8(ascii: "\n")]).withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
                    if !isWritten { isClosed.locked(in: self) { $0 = true } }
                }
                continuation.resume()
            }
        }
    }
}
