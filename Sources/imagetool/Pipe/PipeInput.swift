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

/// The lines of stdin, read on a queue of their own because reading blocks, until stdin ends, stdout closes or SIGTERM
/// comes.
final class PipeInput: Sendable {
    enum Item: Sendable {
        /// Without its newline.
        case line([UInt8])
        /// A line over the limit, which was read and forgotten.
        case tooLong
    }

    /// Why there are no more lines.
    enum End: Sendable {
        /// Stdin ended, or SIGTERM came.
        case input
        /// Nobody reads stdout any more.
        case output
    }

    private struct State {
        var received: [UInt8] = []
        /// How much of `received` is known to hold no newline.
        var searched = 0
        var isSkipping = false
        var end: End?
    }

    /// The most bytes of a line.
    let maxLineBytes: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "imagetool.pipe.input")
    private let wake: (read: Int32, write: Int32)

    /// - Throws: `io` when the system has no descriptors left.
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

    /// Makes SIGTERM the end of the input, as long as what is returned is not cancelled.
    func endOnTermination() -> any DispatchSourceSignal {
        #if canImport(Darwin)
        // There the default action would come before the source's.
        signal(SIGTERM, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { [self] in
            var byte: UInt8 = 0
            _ = write(wake.write, &byte, 1)
        }
        // Before the kernel knows of it a signal would still end the process.
        let isReady = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isReady.signal() }
        source.resume()
        isReady.wait()
        return source
    }

    /// The next line; nil at the end. One call at a time.
    func next() async -> Item? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: take()) }
        }
    }

    /// Why ``next()`` gave nil; nil before that.
    var end: End? { state.locked(in: self) { $0.end } }

    private func take() -> Item? {
        // Taken out while it is read into, which may take for ever; calls come one at a time.
        var state = state.locked(in: self) { state in
            let taken = state
            state = State()
            return taken
        }
        defer { self.state.locked(in: self) { [state] in $0 = state } }
        while true {
            if let item = Self.item(&state, maxBytes: maxLineBytes) { return item }
            if state.end != nil {
                // A last line without its newline is a line too.
                guard !state.received.isEmpty, !state.isSkipping else { return nil }
                let line = state.received
                state.received = []
                state.searched = 0
                return .line(line)
            }
            state.end = read(into: &state.received)
        }
    }

    /// Takes the first line out of what was received; nil when its end has not come yet.
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

    /// Waits for bytes and appends them; gives the end instead when it has come.
    private func read(into received: inout [UInt8]) -> End? {
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

/// The system's `read`, whose name a method has here.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
