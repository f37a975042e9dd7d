internal import CPlatformImageSandbox
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One worker process with its socket and its shared memory.
///
/// Used by one thread at a time: the thread to which ``WorkerSupply`` has lent it. The lock is not held while a message
/// is sent or received.
final class WorkerProcess: Sendable {
    /// A conversation that cannot continue; the worker must be ended.
    enum Failure: Error {
        /// The worker had ended before the request was sent.
        case wasEnded
        case ended
        case violatedProtocol
        case exceededTimeLimit
        /// The flag of the decode was raised, or its deadline has passed.
        case stopped(DecodeError)
        case outOfMemory
        /// The worker announced an output of this number of bytes, more than the limits of the decode or worker allow.
        case exceededMemory(Int)
    }

    let processIdentifier: Int32
    let sandbox: SandboxReport
    /// The program's end of the connection; closed by ``stop()``.
    private let socket: WorkerSocket
    private let state: Mutex<ProcessState>

    private struct ProcessState: ~Copyable {
        var process: pisb_process
        var slab: WorkerSlab
        /// Nil while a message is received.
        var incoming: WorkerSocket.Incoming? = WorkerSocket.Incoming()
        /// Number of the last request.
        var number: UInt64 = 0
        var isExhausted = false
        /// Bytes from the start of the slab that may differ from 0.
        var usedBytes = 0
        /// The input at the start of the slab, and its size; nil for none, or when it is not in a retained array.
        var input: RetainedInput?
        var inputBytes = 0

        init(_ process: pisb_process, slab: consuming WorkerSlab) {
            self.process = process
            self.slab = slab
        }

        /// Writes an input to the start of the slab, unless it is there already, and sets the rest to 0.
        mutating func store(_ bytes: Span<UInt8>, _ input: RetainedInput?) throws(Failure) {
            guard slab.grow(to: bytes.count) else { throw .outOfMemory }
            if usedBytes > bytes.count { slab.clear(bytes.count..<usedBytes) }
            usedBytes = bytes.count
            if input == nil || self.input != input { slab.copy(bytes, to: 0) }
            (self.input, inputBytes) = (input, bytes.count)
        }

        /// Grows the slab, and records that its first `byteCount` bytes are used.
        mutating func reserve(_ byteCount: Int) throws(Failure) {
            guard slab.grow(to: max(1, byteCount)) else { throw .outOfMemory }
            usedBytes = max(usedBytes, byteCount)
        }

        /// Sets the used part of the slab to 0.
        mutating func clear() {
            slab.clear(0..<usedBytes)
            usedBytes = 0
            input = nil
        }
    }

    /// Number of the last request.
    var number: UInt64 { state.locked(in: self) { $0.number } }

    /// True after the worker reported that it has no memory: the mapping of the slab and the heap can be larger than a
    /// new process needs.
    var isExhausted: Bool { state.locked(in: self) { $0.isExhausted } }

    /// The input at the start of the slab; nil for none, or when it is not in a retained array.
    var input: RetainedInput? { state.locked(in: self) { $0.input } }

    private static let initialSlabBytes = 1 << 20
    /// Inputs of up to this number of bytes are copied to the slab; larger inputs to a sealed memfd.
    static let maxSlabInputBytes = 64 << 20
    /// The arrays of inputs of up to this number of bytes are retained after a request without pixels: the next request
    /// on the same file, which is mostly for its pixels, does not copy the input again. The memory is not counted in a
    /// ``DecodeBudget``.
    static let maxKeptInputBytes = 32 << 20
    private static let startMilliseconds: Int32 = 10_000
    private static let sendTime = Duration.seconds(10)

    /// Starts a process and waits until it is confined.
    ///
    /// - Throws: `workerUnavailable`.
    init(executable: String, _ configuration: DecodeWorkers.Configuration) throws(DecodeError) {
        var started = pisb_process(process: -1, socket: -1, process_handle: -1)
        let status = unsafe pisb_start(executable, "imagetool-decoder", Int32(configuration.niceness), &started)
        guard status == PISB_OK else { throw .notStarted(executable, status, ProcFile.Failure.last) }
        socket = WorkerSocket(descriptor: started.socket)
        processIdentifier = started.process
        do throws(DecodeError) {
            let slab = try Self.slab()
            let start = WorkerCommand.start(
                slabBytes: slab.byteCount, addressSpaceBytes: configuration.addressSpaceBytes)
            sandbox = try Self.report(of: socket, after: start, descriptor: slab.descriptor, executable)
            state = Mutex(ProcessState(started, slab: slab))
        } catch {
            unsafe pisb_stop(&started, nil)
            throw error
        }
    }

    /// A worker without a process, for tests and Fuzz/run: the caller has the other end of the socket and closes both.
    init(fuzzing socket: Int32, number: Int32) throws(ProcFile.Failure) {
        self.socket = WorkerSocket(descriptor: socket)
        state = Mutex(
            ProcessState(
                pisb_process(process: 0, socket: socket, process_handle: -1),
                slab: try WorkerSlab(byteCount: 64 << 10)))
        processIdentifier = number
        sandbox = SandboxReport(
            noNewPrivileges: true, hasSystemCallFilter: true, landlockVersion: 0, hasLimits: true, errorNumber: 0)
    }

    private static func slab() throws(DecodeError) -> WorkerSlab {
        do throws(ProcFile.Failure) {
            return try WorkerSlab(byteCount: initialSlabBytes)
        } catch {
            throw DecodeError(.workerUnavailable, detail: "system", "no shared memory: \(error)")
        }
    }

    private static func report(
        of socket: WorkerSocket, after start: WorkerCommand, descriptor: Int32, _ executable: String
    ) throws(DecodeError) -> SandboxReport {
        var incoming = WorkerSocket.Incoming()
        let message: [UInt8]
        do throws(WorkerSocket.Failure) {
            try socket.send(start.wireBytes, descriptor: descriptor, milliseconds: startMilliseconds)
            message = try socket.receive(&incoming, milliseconds: startMilliseconds)
        } catch {
            throw DecodeError(
                .workerUnavailable, detail: "system",
                "\(executable.debugDescription) did not start as a decode worker: \(error)")
        }
        guard let report = try? WorkerReport(wireBytes: message, to: nil), case .ready(let sandbox) = report else {
            throw DecodeError(
                .workerUnavailable, detail: "system", "\(executable.debugDescription) is not a decode worker")
        }
        guard sandbox.noNewPrivileges, sandbox.hasSystemCallFilter, sandbox.hasLimits else {
            let reason = ProcFile.Failure(number: Int32(sandbox.errorNumber))
            throw DecodeError(
                .workerUnavailable, detail: "sandbox", "the worker cannot confine itself (seccomp): \(reason)")
        }
        return sandbox
    }

    deinit { _ = stop() }

    /// Ends the process.
    ///
    /// - Returns: The name of the signal that ended it before this call, or `exit`; `SIGKILL` when this call did.
    func stop() -> String {
        let end = state.locked(in: self) { state in
            var end = pisb_exit(was_signalled: false, code: 0)
            unsafe pisb_stop(&state.process, &end)
            return end
        }
        return end.was_signalled ? SignalName.of(end.code) : "exit"
    }

    /// True when the process has closed its end of the socket, which only its end does in a correct worker.
    var hasEnded: Bool { pisb_has_ended(socket.descriptor) }

    /// The socket, to wait for the end of an idle worker.
    var descriptor: Int32 { socket.descriptor }

    // MARK: Requests

    /// Sends a request with its input, and returns it with its number.
    ///
    /// - Parameter outputBytes: Size of the output that the worker may write without a further permission; nil for
    ///   none.
    func send(
        _ operation: WorkerOperation, _ bytes: Span<UInt8>, of decoder: IsolatedDecoder, outputBytes: Int? = nil
    ) throws(Failure) -> WorkerRequest {
        let number = state.locked(in: self) { state in
            state.number += 1
            return state.number
        }
        let isInSlab = bytes.count <= Self.maxSlabInputBytes
        var request = WorkerRequest(
            number: number, operation: operation, options: decoder.options, contentType: decoder.contentType,
            input: isInSlab ? .slab(byteCount: bytes.count) : .descriptor(byteCount: bytes.count),
            deadline: decoder.flag?.remainingTime, slabBytes: 0)
        var descriptor: Int32 = -1
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        if isInSlab {
            try state.locked(in: self) { (state) throws(Failure) in try state.store(bytes, decoder.input) }
        } else {
            clearSlab()
            descriptor = unsafe bytes.withUnsafeBytes { unsafe pisb_sealed_copy($0.baseAddress, $0.count) }
            guard descriptor >= 0 else { throw .outOfMemory }
        }
        // Not the complete slab: an earlier request may have grown it above the address space of the worker.
        request.slabBytes = isInSlab ? max(1, bytes.count) : 1
        if let outputBytes {
            let start = try reserveOutput(outputBytes, after: request.input)
            request.output = WorkerOutputPlace(start: start, byteCount: outputBytes)
            request.slabBytes = max(1, start.addingClamped(outputBytes))
        }
        try send(.request(request), descriptor: descriptor, ifEnded: .wasEnded, decoder.flag)
        return request
    }

    /// Permits the worker to write its output to the slab, after the input.
    ///
    /// - Returns: The start of the output.
    func proceed(
        _ request: WorkerRequest, outputBytes: Int, _ flag: CancellationFlag?
    ) throws(Failure) -> Int {
        let start = try reserveOutput(outputBytes, after: request.input)
        // Nothing was sent since the worker measured the request: when it has ended, it ended while it waited.
        try send(
            .proceed(number: request.number, slabBytes: max(1, start.addingClamped(outputBytes)), outputStart: start),
            ifEnded: .wasEnded, flag)
        return start
    }

    /// Grows the slab for an output after the input, and returns the start of the output.
    private func reserveOutput(_ outputBytes: Int, after input: WorkerInput) throws(Failure) -> Int {
        let inputBytes = if case .slab(let byteCount) = input { byteCount } else { 0 }
        let start = Self.wholePages(inputBytes)
        try state.locked(in: self) { (state) throws(Failure) in try state.reserve(start.addingClamped(outputBytes)) }
        return start
    }

    private static func wholePages(_ byteCount: Int) -> Int { byteCount.addingClamped(4095) & ~4095 }

    /// Requests a step of an animation, whose pixels need `outputBytes` from the start of the slab.
    func step(
        _ step: FrameStep, of request: WorkerRequest, outputBytes: Int, _ flag: CancellationFlag?
    ) throws(Failure) {
        try state.locked(in: self) { (state) throws(Failure) in try state.reserve(outputBytes) }
        try send(.frame(number: request.number, step, slabBytes: max(1, outputBytes)), ifEnded: .ended, flag)
    }

    /// Sends a message; polls `flag` while the worker does not read, which it may do for at most ``sendTime``.
    private func send(
        _ command: WorkerCommand, descriptor: Int32 = -1, ifEnded failure: Failure, _ flag: CancellationFlag?
    ) throws(Failure) {
        let message = command.wireBytes
        var sentBytes = 0
        var end: ContinuousClock.Instant?
        while true {
            do throws(WorkerSocket.Failure) {
                try socket.send(
                    message, from: &sentBytes, descriptor: descriptor, milliseconds: flag == nil ? 1000 : 4)
                return
            } catch {
                switch error {
                case .closed: throw failure
                case .timedOut: break
                case .invalid, .system: throw .violatedProtocol
                }
            }
            let now = ContinuousClock.now
            if now >= end ?? now + Self.sendTime { throw .violatedProtocol }
            end = end ?? now + Self.sendTime
            do throws(DecodeError) {
                try flag?.poll()
            } catch {
                throw .stopped(error)
            }
        }
    }

    /// Receives the next report on a request.
    ///
    /// - Parameter end: The end of the time limit.
    func receive(
        _ request: WorkerRequest, until end: ContinuousClock.Instant, _ flag: CancellationFlag?
    ) throws(Failure) -> WorkerReport {
        /// Time after a deadline in which the worker, which has the same deadline, reports its error.
        let grace = Duration.milliseconds(5)
        var deadlineError: (error: DecodeError, end: ContinuousClock.Instant)?
        while true {
            let message: [UInt8]
            do throws(WorkerSocket.Failure) {
                message = try receive(milliseconds: flag == nil ? 1000 : 4)
            } catch {
                switch error {
                case .closed: throw .ended
                case .timedOut: break
                case .invalid, .system: throw .violatedProtocol
                }
                let now = ContinuousClock.now
                if now >= end { throw .exceededTimeLimit }
                if let deadlineError {
                    if now >= deadlineError.end { throw .stopped(deadlineError.error) }
                    continue
                }
                do throws(DecodeError) {
                    try flag?.poll()
                } catch {
                    if error.code == .cancelled { throw .stopped(error) }
                    deadlineError = (error, now + grace)
                }
                continue
            }
            guard let report = try? WorkerReport(wireBytes: message, to: request) else { throw .violatedProtocol }
            if case .finished(_, .failure(let error)) = report, error.code == .outOfMemory {
                state.locked(in: self) { $0.isExhausted = true }
            }
            return report
        }
    }

    /// Receives a message; continues with the packets that arrived before.
    private func receive(milliseconds: Int32) throws(WorkerSocket.Failure) -> [UInt8] {
        var incoming = state.locked(in: self) { $0.incoming.take() } ?? WorkerSocket.Incoming()
        defer { state.locked(in: self) { $0.incoming = incoming } }
        return try socket.receive(&incoming, milliseconds: milliseconds)
    }

    /// Copies an image out of the slab, and sets its bytes there to 0.
    func take(_ image: WorkerImage, from output: WorkerOutputPlace) throws(Failure) -> Bitmap {
        guard let byteCount = image.byteCount, image.offset <= output.byteCount,
            byteCount <= output.byteCount - image.offset
        else { throw .violatedProtocol }
        guard let storage = PixelStorage(byteCount: byteCount, zeroed: false) else { throw .outOfMemory }
        state.locked(in: self) { $0.slab.move(from: output.start + image.offset, to: storage) }
        return Bitmap(width: image.width, height: image.height, storage: storage)
    }

    /// Records that the slab contains only zeros from `byteCount` bytes on.
    func outputIsCleared(from byteCount: Int) {
        state.locked(in: self) { $0.usedBytes = min($0.usedBytes, byteCount) }
    }

    /// Releases the array of the input at the end of a request.
    ///
    /// The used part of the slab is not cleared here: the next ``send(_:_:of:outputBytes:)`` overwrites or clears it,
    /// so that no request can read the data of another one.
    ///
    /// - Parameter keepsInput: True to retain an array of at most ``maxKeptInputBytes`` for the next request.
    func endRequest(keepsInput: Bool = false) {
        state.locked(in: self) { state in
            if !keepsInput || state.inputBytes > Self.maxKeptInputBytes { state.input = nil }
        }
    }

    /// Sets the used part of the slab to 0.
    func clearSlab() { state.locked(in: self) { $0.clear() } }

    var residentSlabBytes: Int { state.locked(in: self) { $0.slab.residentByteCount } }

    /// Clears the slab, and returns its pages after the first `kept` bytes to the system.
    func releaseSlab(keeping kept: Int) {
        state.locked(in: self) { state in
            // Released pages contain zeros.
            if state.slab.byteCount > kept, state.slab.release(keeping: kept) {
                state.usedBytes = min(state.usedBytes, Self.wholePages(kept))
            }
            state.clear()
        }
    }

    /// Requests that the idle worker returns its unused memory to the system.
    ///
    /// Does not wait for an answer or for room in the socket's buffer: without room, the worker keeps the memory.
    func releaseMemory() { releaseMemory(after: number) }

    /// - Parameter number: The last request of the worker; another number has no effect during a request.
    func releaseMemory(after number: UInt64) {
        try? socket.send(WorkerCommand.releaseMemory(number: number).wireBytes, milliseconds: 0)
    }
}

/// Names of the signals that can end a worker.
enum SignalName {
    static func of(_ number: Int32) -> String {
        switch number {
        case SIGSEGV: "SIGSEGV"
        case SIGBUS: "SIGBUS"
        case SIGABRT: "SIGABRT"
        case SIGILL: "SIGILL"
        case SIGTRAP: "SIGTRAP"
        case SIGFPE: "SIGFPE"
        case SIGSYS: "SIGSYS"
        case SIGKILL: "SIGKILL"
        case SIGTERM: "SIGTERM"
        case SIGXCPU: "SIGXCPU"
        default: "signal \(number)"
        }
    }
}

extension DecodeError {
    fileprivate static func notStarted(
        _ executable: String, _ status: pisb_status, _ failure: ProcFile.Failure
    ) -> DecodeError {
        let name = executable.debugDescription
        if status == PISB_UNSUPPORTED {
            return DecodeError(.workerUnavailable, detail: "sandbox", "worker processes need Linux")
        }
        return switch failure.number {
        case ENOENT, ENOTDIR:
            DecodeError(
                .workerUnavailable, detail: "executableMissing", "the worker program \(name) does not exist")
        case EACCES, EPERM:
            DecodeError(
                .workerUnavailable, detail: "executableNotPermitted", "the worker program \(name) is not executable")
        default:
            DecodeError(.workerUnavailable, detail: "system", "the worker program \(name) does not start: \(failure)")
        }
    }
}
