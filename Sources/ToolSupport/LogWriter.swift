import Dispatch
import PlatformImage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Buffered log output to a descriptor, written on a dedicated queue: logging never blocks on the reader of the log.
///
/// The first line is written at once, the following ones together every ``pause``: a busy service would otherwise wake
/// the queue's thread for each line.
package final class LogWriter: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var dropped = 0
        /// True while a write is running or scheduled.
        var isWriting = false
    }

    private static let pause = DispatchTimeInterval.milliseconds(10)

    private let descriptor: Int32
    private let maxBytes: Int
    private let queue = DispatchQueue(label: "imagetool.log")
    private let state = Mutex(State())

    /// - Parameter maxBytes: Size limit of the buffer. A line that does not fit is dropped; a later log line reports
    ///   the number of dropped lines.
    package init(descriptor: Int32 = 2, maxBytes: Int = 4 << 20) {
        self.descriptor = descriptor
        self.maxBytes = maxBytes
    }

    /// Appends a line to the buffer.
    ///
    /// - Parameter line: Bytes including the newline.
    package func append(_ line: [UInt8]) {
        let mustStart = state.locked(in: self) { state in
            guard state.buffer.count + line.count <= maxBytes else {
                state.dropped += 1
                return false
            }
            state.buffer += line
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { self.writePeriodically() } }
    }

    /// Returns when all lines appended before have been written or have failed.
    package func flush() { queue.sync { _ = write() } }

    /// Writes now and after each pause, until nothing was added during a pause.
    private func writePeriodically() {
        let hasMore =
            write()
            || state.locked(in: self) { state in
                state.isWriting = !state.buffer.isEmpty
                return state.isWriting
            }
        if hasMore { queue.asyncAfter(deadline: .now() + Self.pause) { self.writePeriodically() } }
    }

    /// Writes the buffer; returns false when it is empty.
    private func write() -> Bool {
        let (bytes, dropped) = state.locked(in: self) { state in
            defer { (state.buffer, state.dropped) = ([], 0) }
            return (state.buffer, state.dropped)
        }
        guard !bytes.isEmpty || dropped > 0 else { return false }
        bytes.withUnsafeBytes { _ = writeAll($0, to: descriptor) }
        if dropped > 0 {
            let note = "{\"level\":\"warning\",\"message\":\"log lines were dropped\",\"count\":\(dropped)}\n"
            Array(note.utf8).withUnsafeBytes { _ = writeAll($0, to: descriptor) }
        }
        return true
    }
}
