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

/// Lines of stdin or a file, and raw bytes between them. The input ends at its end, at SIGTERM, or when the reader of
/// stdout closes it.
final class LineInput: Sendable {
    enum Item: Sendable {
        /// A line without its separator.
        case line([UInt8])
        /// A line over the limit; its bytes were discarded.
        case tooLong
    }

    /// Raw bytes between two lines.
    enum RawBytes: Sendable {
        case complete([UInt8])
        /// The input ended after `count` bytes.
        case ended(count: Int)
    }

    /// Reason for the end of input.
    enum EndReason: Sendable {
        /// The input ended, or cannot be read.
        case input
        case termination
        /// The reader of stdout closed it.
        case output
    }

    private struct State {
        var received: [UInt8] = []
        /// Number of bytes at the start of `received` that were returned or discarded.
        var consumed = 0
        /// Index in `received` before which the current line contains no separator.
        var searched = 0
        var isSkipping = false
        var end: EndReason?
        var failure: Failure?
    }

    /// Largest line in bytes, without its separator.
    let maxLineBytes: Int
    private let descriptor: Int32
    private let separator: UInt8
    private let watchesOutput: Bool
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "imagetool.line-input")
    private let wake: (read: Int32, write: Int32)

    /// Creates an internal pipe; SIGTERM writes a byte to it, which ends the wait for input.
    ///
    /// - Parameters:
    ///   - path: `-` for stdin.
    ///   - separator: Byte at the end of each line; the last line may lack it.
    ///   - watchesOutput: Ends the input when the reader of stdout closes it.
    /// - Throws: `noInput` when the file cannot be opened, `io` when no pipe can be created.
    init(
        path: String = "-", separator: UInt8 = UInt8(ascii: "\n"), maxLineBytes: Int = 1 << 20,
        watchesOutput: Bool = true
    ) throws(Failure) {
        self.maxLineBytes = maxLineBytes
        self.separator = separator
        self.watchesOutput = watchesOutput
        descriptor = path == "-" ? STDIN_FILENO : open(path.cPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.noInput, "noInput: \(systemMessage())") }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(.ioError, "io: \(systemMessage())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = (read: ends[0], write: ends[1])
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
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

    /// Returns the next line, or `nil` at the end; reads on a dedicated queue. Calls must not overlap.
    func next() async -> Item? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: nextBlocking()) }
        }
    }

    /// Reason for the end of input; `nil` until the end is detected.
    var end: EndReason? { state.locked(in: self) { $0.end } }

    /// Reason why the input cannot be read to its end; `nil` otherwise.
    var failure: Failure? { state.locked(in: self) { $0.failure } }

    /// Returns the next line, or `nil` at the end; blocks. Calls must not overlap.
    func nextBlocking() -> Item? {
        withState { state in
            while true {
                if let item = item(&state) { return item }
                if let end = state.end {
                    // The last line may lack its separator, unless the input was not read to its end.
                    guard end == .input, state.consumed < state.received.count, !state.isSkipping else { return nil }
                    let line = Array(state.received[state.consumed...])
                    state.received = []
                    (state.consumed, state.searched) = (0, 0)
                    return .line(line)
                }
                receive(&state)
            }
        }
    }

    /// Returns the next `count` bytes; blocks. Calls must not overlap with each other or with `nextBlocking()`.
    ///
    /// - Parameter isDiscarded: Reads the bytes and returns none of them.
    func bytesBlocking(_ count: Int, isDiscarded: Bool = false) -> RawBytes {
        withState { state in
            var bytes: [UInt8] = []
            var left = count
            while true {
                let available = min(left, state.received.count - state.consumed)
                let range = state.consumed..<state.consumed + available
                if !isDiscarded { bytes += state.received[range] }
                state.consumed += available
                state.searched = state.consumed
                left -= available
                if left == 0 { return .complete(bytes) }
                guard state.end == nil else { return .ended(count: count - left) }
                receive(&state, preferredCount: left)
            }
        }
    }

    /// Runs `body` with the state moved out of the mutex, so that the mutex is not locked while reading blocks.
    private func withState<R>(_ body: (inout State) -> R) -> R {
        var state = state.locked(in: self) { state in
            let current = state
            state = State()
            return current
        }
        defer { self.state.locked(in: self) { [state] in $0 = state } }
        return body(&state)
    }

    /// Consumes the first complete line of the received bytes and returns it, or returns `.tooLong` for a line over the
    /// limit; `nil` when more bytes are required.
    private func item(_ state: inout State) -> Item? {
        while let end = state.received[state.searched...].firstIndex(of: separator) {
            let line = state.consumed..<end
            state.consumed = end + 1
            state.searched = end + 1
            let isRest = state.isSkipping
            state.isSkipping = false
            if !isRest { return line.count > maxLineBytes ? .tooLong : .line(Array(state.received[line])) }
        }
        state.searched = state.received.count
        guard state.isSkipping || state.received.count - state.consumed > maxLineBytes else { return nil }
        let wasSkipping = state.isSkipping
        state.isSkipping = true
        state.consumed = state.received.count
        return wasSkipping ? nil : .tooLong
    }

    /// Waits for bytes and appends them, or sets the reason for the end of input.
    private func receive(_ state: inout State, preferredCount: Int = 0) {
        state.received.removeFirst(state.consumed)
        state.searched -= state.consumed
        state.consumed = 0
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            // A negative descriptor is ignored.
            pollfd(fd: watchesOutput ? STDOUT_FILENO : -1, events: 0, revents: 0),
        ]
        while poll(&descriptors, nfds_t(descriptors.count), -1) < 0 {
            guard errno == EINTR || errno == EAGAIN else { return state.end = .input }
        }
        if descriptors[2].revents != 0 { return state.end = .output }
        if descriptors[1].revents != 0 { return state.end = .termination }
        let capacity = min(max(65_536, preferredCount), 1 << 20)
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { state.received += buffer.prefix(count) }
            return count
        }
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        if count < 0 { state.failure = Failure(.ioError, "io: \(systemMessage())") }
        if count <= 0 { state.end = .input }
    }
}
