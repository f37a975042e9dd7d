#if Tool && Service
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

/// Lines on their way to a descriptor, written by a queue of its own: who logs never waits for who reads the log.
package final class LogLines: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isWriting = false
    }

    private let descriptor: Int32
    private let maxBytes: Int
    private let queue = DispatchQueue(label: "imagetool.log")
    private let state = Mutex(State())

    /// - Parameter maxBytes: What waits at most; lines beyond it are dropped, and how many is said in a line of its own.
    package init(descriptor: Int32 = 2, maxBytes: Int = 4 << 20) {
        self.descriptor = descriptor
        self.maxBytes = maxBytes
    }

    /// - Parameter line: With its newline.
    package func append(_ line: String) {
        let begins = state.locked(in: self) { state in
            guard state.waiting.count + line.utf8.count <= maxBytes else {
                state.dropped += 1
                return false
            }
            state.waiting += line.utf8
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { queue.async { self.write() } }
    }

    /// Returns when every line that was appended before has been written, or could not be.
    package func flush() { queue.sync { write() } }

    private func write() {
        while true {
            let (bytes, dropped) = state.locked(in: self) { state in
                defer { (state.waiting, state.dropped) = ([], 0) }
                if state.waiting.isEmpty { state.isWriting = false }
                return (state.waiting, state.dropped)
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
#endif
