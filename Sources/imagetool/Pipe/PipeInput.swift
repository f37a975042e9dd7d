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

/// Lines of stdin, read on a dedicated queue because reading blocks. The input ends at the end of stdin, at SIGTERM, or
/// when the reader of stdout closes it.
final class PipeInput: Sendable {
    enum Item: Sendable {
        /// A line without its newline.
        case line([UInt8])
        /// A line over the limit; its bytes were discarded.
        case tooLong
    }

    /// Reason for the end of input.
    enum EndReason: Sendable {
        /// Stdin ended, or SIGTERM was received.
        case input
        /// The reader of stdout closed it.
        case output
    }

    private struct State {
        var received: [UInt8] = []
        /// Length of the prefix of `received` that was searched and contains no newline.
        var searched = 0
        var isSkipping = false
        var end: EndReason?
    }

    /// Largest line in bytes, without its newline.
    let maxLineBytes: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "imagetool.pipe.input")
    private let wake: (read: Int32, write: Int32)

    /// Creates an internal pipe; SIGTERM writes a byte to it, which ends the wait for stdin.
    ///
    /// - Throws: `io` when no pipe can be created.
    init(maxLineBytes: Int = 1 << 20) throws(Failure) {
        self.maxLineBytes = maxLineBytes
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(.ioError, "io: \(systemMessage())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (read: ends[0], write: ends[1])
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    /// Treats SIGTERM as the end of input until the returned source is cancelled.
    func endOnTermination() -> any DispatchSourceSignal {
        #if canImport(Darwin)
        // On Darwin the default action would end the process before the dispatch source sees the signal.
        signal(SIGTERM, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { [self] in
            var byte: UInt8 = 0
            _ = write(wake.write, &byte, 1)
        }
        // Wait until the source is registered: before that a signal would end the process.
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.resume()
        isReady.wait()
        return source
    }

    /// Returns the next line, or `nil` at the end. Calls must not overlap.
    func next() async -> Item? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: nextItem()) }
        }
    }

    /// Reason for the end of input; `nil` until the end is detected.
    var end: EndReason? { state.locked(in: self) { $0.end } }

    private func nextItem() -> Item? {
        // The state is moved out of the mutex, so that the mutex is not locked while reading blocks; calls do not
        // overlap.
        var state = state.locked(in: self) { state in
            let current = state
            state = State()
            return current
        }
        defer { self.state.locked(in: self) { [state] in $0 = state } }
        while true {
            if let item = Self.item(&state, maxBytes: maxLineBytes) { return item }
            if state.end != nil {
                // The last line may lack its newline.
                guard !state.received.isEmpty, !state.isSkipping else { return nil }
                let line = state.received
                state.received = []
                state.searched = 0
                return .line(line)
            }
            state.end = read(into: &state.received)
        }
    }

    /// Removes the first complete line from the received bytes and returns it, or returns `.tooLong` for a line of more
    /// than `maxBytes`; `nil` when more bytes are required.
    private static func item(_ state: inout State, maxBytes: Int) -> Item? {
        while let newline = state.received[state.searched...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(state.received[..<newline])
            state.received.removeFirst(newline + 1)
            state.searched = 0
            let isRest = state.isSkipping
            state.isSkipping = false
            if !isRest { return line.count > maxBytes ? .tooLong : .line(line) }
        }
        state.searched = state.received.count
        guard state.isSkipping || state.received.count > maxBytes else { return nil }
        let wasSkipping = state.isSkipping
        state.isSkipping = true
        state.received = []
        state.searched = 0
        return wasSkipping ? nil : .tooLong
    }

    /// Waits for bytes and appends them; returns the reason at the end of input, otherwise `nil`.
    private func read(into received: inout [UInt8]) -> EndReason? {
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
            pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&descriptors, nfds_t(descriptors.count), -1) < 0 {
            guard errno == EINTR || errno == EAGAIN else { return .input }
        }
        if descriptors[1].revents != 0 { return .output }
        if descriptors[2].revents != 0 { return .input }
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { buffer in
            let count = readSome(STDIN_FILENO, buffer.baseAddress, buffer.count)
            if count > 0 { received += buffer.prefix(count) }
            return count
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return nil }
        return count > 0 ? nil : .input
    }
}

/// The system's `read`, which the method `read(into:)` shadows.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
