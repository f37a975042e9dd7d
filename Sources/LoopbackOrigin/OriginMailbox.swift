internal import CPlatformImageOriginProtocols
internal import PlatformImage
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Commands of other threads to the thread of an origin, with a pipe that ends the thread's wait.
final class OriginMailbox: Sendable {
    enum Command: Sendable {
        /// Continue the responses of the connection with this number: a gate was opened.
        case advance(connection: Int)
        case closeConnections(CheckedContinuation<Void, Never>)
        /// Close everything and end the thread; nil when no task waits for it.
        case stop(CheckedContinuation<Void, Never>?)
    }

    private struct State {
        var commands: [Command] = []
        var hasEnded = false
    }

    /// The descriptor that is readable while there are commands.
    let wakeUp: Int32
    private let wakeUpEnd: Int32
    private let state = Mutex(State())

    init() throws {
        var ends: [Int32] = [-1, -1]
        let status = piop_pipe(&ends)
        guard status == 0 else { throw OriginError("cannot create a pipe", number: -status) }
        (wakeUp, wakeUpEnd) = (ends[0], ends[1])
    }

    deinit {
        _ = close(wakeUp)
        _ = close(wakeUpEnd)
    }

    /// Adds a command; after the end of the thread, there is nothing to do and waiting tasks are resumed.
    func post(_ command: Command) {
        let hasEnded = state.locked(in: self) { state in
            if state.hasEnded { return true }
            state.commands.append(command)
            // One byte for the first command is enough. It is written with the lock held, so that `take` finds both or
            // neither.
            if state.commands.count == 1 { _ = write(wakeUpEnd, [1], 1) }
            return false
        }
        if hasEnded { Self.resume(command) }
    }

    /// Removes and returns all commands.
    func take() -> [Command] {
        state.locked(in: self) { state in
            if state.commands.isEmpty { return [] }
            var byte: UInt8 = 0
            _ = read(wakeUp, &byte, 1)
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Resumes the tasks of all commands, now and in the future.
    func end() {
        let commands = state.locked(in: self) { state in
            state.hasEnded = true
            defer { state.commands = [] }
            return state.commands
        }
        for command in commands { Self.resume(command) }
    }

    static func resume(_ command: Command) {
        switch command {
        case .advance: break
        case .closeConnections(let continuation): continuation.resume()
        case .stop(let continuation): continuation?.resume()
        }
    }
}
