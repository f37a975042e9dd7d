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
package final class LogWriter: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

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
    /// - Parameter line: Text including its newline.
    package func append(_ line: String) {
        let mustStart = state.locked(in: self) { state in
            guard state.buffer.count + line.utf8.count <= maxBytes else {
                state.dropped += 1
                return false
            }
            state.buffer += line.utf8
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { self.write() } }
    }

    /// Returns when all lines appended before have been written or have failed.
    package func flush() { queue.sync { write() } }

    private func write() {
        while true {
            let (bytes, dropped) = state.locked(in: self) { state in
                defer { (state.buffer, state.dropped) = ([], 0) }
                if state.buffer.isEmpty { state.isWriting = false }
                return (state.buffer, state.dropped)
            }
            guard !bytes.isEmpty || dropped > 0 else { return }
            var note = ""
            if dropped > 0 {
                note = "{\"level\":\"warning\",\"message\":\"log lines were dropped\",\"count\":\(dropped)}\n"
            }
            (bytes + note.utf8).withUnsafeBytes { _ = writeAll($0, to: descriptor) }
        }
    }
}
