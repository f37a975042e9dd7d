internal import CPlatformImageCurl
internal import PlatformImage
internal import Synchronization

/// The commands from any thread to the thread of a transport, which starts with the first command.
final class CurlMailbox: Sendable {
    enum Command {
        case start(CurlExchange)
        case cancel(CurlExchange)
        /// Continues to read from the connection of an exchange.
        case resume(CurlExchange)
        /// Ends the thread after the last exchange.
        case close
    }

    private struct State {
        var commands: [Command] = []
        var hasThread = false
        /// True while the thread waits for events: a command must wake it up.
        var isSleeping = false
        /// The address of the `picu_multi` that the thread waits for; 0 when there is none.
        var multi: UInt = 0
    }

    private let state = Mutex(State())
    let settings: CurlLoop.Settings

    init(_ settings: CurlLoop.Settings) { self.settings = settings }

    func post(_ command: Command) {
        let startsThread = state.locked(in: self) { state in
            if !state.hasThread {
                if case .start = command { state.hasThread = true } else { return false }
                state.commands.append(command)
                return true
            }
            state.commands.append(command)
            if state.isSleeping {
                state.isSleeping = false
                // Under the lock, so that the thread does not free the multi meanwhile.
                picu_multi_wakeup(OpaquePointer(bitPattern: state.multi))
            }
            return false
        }
        if startsThread { startThread() }
    }

    private func startThread() {
        let failure = DetachedThread.start { [self] in CurlLoop(self).run() }
        guard let failure else { return }
        let commands = state.locked(in: self) { state in
            state.hasThread = false
            var commands: [Command] = []
            swap(&commands, &state.commands)
            return commands
        }
        let error = LoadError.transport("no thread can be started: \(System.message(ofError: failure))")
        var none: [UInt8] = []
        for case .start(let exchange) in commands {
            exchange.deliver(head: nil, bytes: &none, end: .failure(error)).resumption.resume()
        }
    }
}

// Called on the transport's thread.
extension CurlMailbox {
    /// Exchanges the posted commands for an empty array with capacity.
    func take(into commands: inout [Command]) {
        commands.removeAll(keepingCapacity: true)
        state.locked(in: self) { swap(&$0.commands, &commands) }
    }

    /// Announces that the thread will wait; false when commands were posted, which must be processed before.
    func beginSleep(on multi: OpaquePointer) -> Bool {
        state.locked(in: self) { state in
            guard state.commands.isEmpty else { return false }
            (state.isSleeping, state.multi) = (true, UInt(bitPattern: multi))
            return true
        }
    }

    func endSleep() { state.locked(in: self) { $0.isSleeping = false } }

    /// Announces that the thread ends; false when commands were posted, which must be processed before.
    func end() -> Bool {
        state.locked(in: self) { state in
            guard state.commands.isEmpty else { return false }
            state.hasThread = false
            return true
        }
    }
}
