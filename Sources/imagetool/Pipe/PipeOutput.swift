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

/// Complete lines on stdout, written in order on a dedicated queue because a full pipe blocks.
final class PipeOutput: Sendable {
    private let queue = DispatchQueue(label: "imagetool.pipe.output")
    private let isClosed = Mutex(false)

    /// Writes a line and appends a newline; returns when it is written or stdout is closed.
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
