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
/// Used by one thread at a time: the thread to which ``WorkerSupply`` has lent it. The lock of the supply orders the
/// accesses of different threads.
@safe final class WorkerProcess: Sendable {
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
    nonisolated(unsafe) private var process: pisb_process
    nonisolated(unsafe) private var slab: WorkerSlab
    nonisolated(unsafe) private var incoming = WorkerSocket.Incoming()
    /// Number of the last request.
    nonisolated(unsafe) private(set) var number: UInt64 = 0
    /// True after the worker reported that it has no memory: the mapping of the slab and the heap can be larger than a
    /// new process needs.
    nonisolated(unsafe) private(set) var isExhausted = false
    /// Bytes from the start of the slab that may differ from 0.
    nonisolated(unsafe) private var usedBytes = 0
    /// The input at the start of the slab, and its size; nil for none, or when it is not in a retained array.
    nonisolated(unsafe) private(set) var input: RetainedInput?
    nonisolated(unsafe) private var inputBytes = 0

    private static let initialSlabBytes = 1 << 20
    /// Inputs of up to this number of bytes are copied to the slab; larger inputs to a sealed memfd.
    static let maxSlabInputBytes = 64 << 20
    /// The arrays of inputs of up to this number of bytes are retained after a request without pixels: the next request
    /// on the same file, which is mostly for its pixels, does not copy the input again. The memory is not counted in a
    /// ``DecodeBudget``.
    static let maxKeptInputBytes = 32 << 20
    private static let startMilliseconds: Int32 = 10_000
    private static let sendTime = Duration.seconds(10)

    private var socket: WorkerSocket { unsafe WorkerSocket(descriptor: process.socket) }

    /// Starts a process and waits until it is confined.
    ///
    /// - Throws: `workerUnavailable`.
    init(executable: String, _ configuration: DecodeWorkers.Configuration) throws(DecodeError) {
        var started = pisb_process(process: -1, socket: -1, process_handle: -1)
        let status = unsafe pisb_start(executable, "imagetool-decoder", Int32(configuration.niceness), &started)
        guard status == PISB_OK else { throw .notStarted(executable, status, ProcFile.Failure.last) }
        do throws(DecodeError) {
            do throws(ProcFile.Failure) {
                unsafe slab = try WorkerSlab(byteCount: Self.initialSlabBytes)
            } catch {
                throw DecodeError(.workerUnavailable, detail: "system", "no shared memory: \(error)")
            }
            let start = unsafe WorkerCommand.start(
                slabBytes: slab.byteCount, addressSpaceBytes: configuration.addressSpaceBytes)
            sandbox = try Self.report(
                of: WorkerSocket(descriptor: started.socket), after: start, descriptor: unsafe slab.descriptor,
                executable)
            unsafe process = started
            processIdentifier = started.process
        } catch {
            unsafe pisb_stop(&started, nil)
            throw error
        }
    }

    /// A worker without a process, for tests and Fuzz/run: the caller has the other end of the socket and closes both.
    init(fuzzing socket: Int32, number: Int32) throws(ProcFile.Failure) {
        unsafe slab = try WorkerSlab(byteCount: 64 << 10)
        unsafe process = pisb_process(process: 0, socket: socket, process_handle: -1)
        processIdentifier = number
        sandbox = SandboxReport(
            noNewPrivileges: true, hasSystemCallFilter: true, landlockVersion: 0, hasLimits: true, errorNumber: 0)
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
        var end = pisb_exit(was_signalled: false, code: 0)
        unsafe pisb_stop(&process, &end)
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
        unsafe number += 1
        let isInSlab = bytes.count <= Self.maxSlabInputBytes
        var request = WorkerRequest(
            number: unsafe number, operation: operation, options: decoder.options, contentType: decoder.contentType,
            input: isInSlab ? .slab(byteCount: bytes.count) : .descriptor(byteCount: bytes.count),
            deadline: decoder.flag?.remainingTime, slabBytes: 0)
        var descriptor: Int32 = -1
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        if isInSlab {
            guard unsafe slab.grow(to: bytes.count) else { throw .outOfMemory }
            if unsafe usedBytes > bytes.count { unsafe slab.clear(bytes.count..<usedBytes) }
            unsafe usedBytes = bytes.count
            if unsafe decoder.input == nil || input != decoder.input { unsafe slab.copy(bytes, to: 0) }
            unsafe (input, inputBytes) = (decoder.input, bytes.count)
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
        let end = start.addingClamped(outputBytes)
        guard unsafe slab.grow(to: end) else { throw .outOfMemory }
        unsafe usedBytes = max(usedBytes, end)
        return start
    }

    private static func wholePages(_ byteCount: Int) -> Int { byteCount.addingClamped(4095) & ~4095 }

    /// Requests a step of an animation, whose pixels need `outputBytes` from the start of the slab.
    func step(
        _ step: FrameStep, of request: WorkerRequest, outputBytes: Int, _ flag: CancellationFlag?
    ) throws(Failure) {
        guard unsafe slab.grow(to: max(1, outputBytes)) else { throw .outOfMemory }
        unsafe usedBytes = max(usedBytes, outputBytes)
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
                message = try unsafe socket.receive(&incoming, milliseconds: flag == nil ? 1000 : 4)
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
            if case .finished(_, .failure(let error)) = report, error.code == .outOfMemory { unsafe isExhausted = true }
            return report
        }
    }

    /// Copies an image out of the slab, and sets its bytes there to 0.
    func take(_ image: WorkerImage, from output: WorkerOutputPlace) throws(Failure) -> Bitmap {
        guard let byteCount = image.byteCount, image.offset <= output.byteCount,
            byteCount <= output.byteCount - image.offset
        else { throw .violatedProtocol }
        guard let storage = PixelStorage(byteCount: byteCount, zeroed: false) else { throw .outOfMemory }
        unsafe slab.move(from: output.start + image.offset, to: storage)
        return Bitmap(width: image.width, height: image.height, storage: storage)
    }

    /// Records that the slab contains only zeros from `byteCount` bytes on.
    func outputIsCleared(from byteCount: Int) { unsafe usedBytes = min(usedBytes, byteCount) }

    /// Releases the array of the input at the end of a request.
    ///
    /// The used part of the slab is not cleared here: the next ``send(_:_:of:outputBytes:)`` overwrites or clears it,
    /// so that no request can read the data of another one.
    ///
    /// - Parameter keepsInput: True to retain an array of at most ``maxKeptInputBytes`` for the next request.
    func endRequest(keepsInput: Bool = false) {
        if unsafe !keepsInput || inputBytes > Self.maxKeptInputBytes { unsafe input = nil }
    }

    /// Sets the used part of the slab to 0.
    func clearSlab() {
        unsafe slab.clear(0..<usedBytes)
        unsafe usedBytes = 0
        unsafe input = nil
    }

    var residentSlabBytes: Int { unsafe slab.residentByteCount }

    /// Clears the slab, and returns its pages after the first `kept` bytes to the system.
    func releaseSlab(keeping kept: Int) {
        // Released pages contain zeros.
        if unsafe slab.byteCount > kept, unsafe slab.release(keeping: kept) {
            unsafe usedBytes = min(usedBytes, Self.wholePages(kept))
        }
        clearSlab()
    }

    /// Requests that the idle worker returns its unused memory to the system.
    ///
    /// Does not wait for an answer or for room in the socket's buffer: without room, the worker keeps the memory.
    func releaseMemory() { releaseMemory(after: unsafe number) }

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
