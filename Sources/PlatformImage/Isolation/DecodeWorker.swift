internal import CPlatformImageSandbox

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The program that decodes in a sandbox: `imagetool-decoder` calls ``run(beforeDecode:)``.
///
/// It starts with one socket, prepares the codecs, confines itself and then serves one request at a time until the
/// parent closes the socket. It never opens a file.
package struct DecodeWorker: ~Copyable {
    /// Called before each decode with the number and the bytes of the request, and the slab after them, for tests that
    /// plant defects.
    package typealias Hook = (_ number: UInt64, _ bytes: [UInt8], _ slab: [UInt8]) -> Void

    /// The descriptor of the connection to the parent.
    package static var socket: Int32 { Int32(PISB_WORKER_SOCKET) }

    private let socket: WorkerSocket
    private var incoming = WorkerSocket.Incoming()
    private var slab: WorkerSlab
    private let hook: Hook?
    /// Shared by all requests, so that colour transforms are reused.
    /// Keeps the colour transforms of earlier requests.
    private let transforms = ColorTransformCache()

    /// Serves requests until the parent closes the socket.
    ///
    /// - Returns: The exit status: 0 when the parent closed the socket, 70 after a message that the protocol does not
    ///   allow, 71 when the program was not started by a parent.
    package static func run(beforeDecode hook: Hook? = nil) -> Int32 {
        pisb_close_others()
        pisb_keep_freed_memory()
        let socket = WorkerSocket(descriptor: Int32(PISB_WORKER_SOCKET))
        var incoming = WorkerSocket.Incoming()
        do throws(WorkerSocket.Failure) {
            let (message, descriptor) = try socket.receiveWithDescriptor(&incoming)
            guard let command = try? WorkerCommand(wireBytes: message),
                case .start(let slabBytes, let addressSpaceBytes) = command,
                let slab = WorkerSlab(opening: descriptor, byteCount: slabBytes)
            else { return 71 }
            WorkerWarmUp.run()
            var limits = pisb_limits(
                address_space: UInt64(addressSpaceBytes), descriptors: UInt64(Self.maxDescriptors))
            let confinement = unsafe pisb_confine(&limits)
            let report = WorkerReport.ready(SandboxReport(confinement))
            try socket.send(report.wireBytes, milliseconds: -1)
            var worker = DecodeWorker(socket: socket, slab: slab, hook: hook)
            return try worker.serve()
        } catch .closed {
            return 0
        } catch {
            return 71
        }
    }

    /// The descriptors 0 to 3, the slab and one input.
    private static let maxDescriptors = 16

    private init(socket: WorkerSocket, slab: consuming WorkerSlab, hook: Hook?) {
        self.socket = socket
        self.slab = slab
        self.hook = hook
    }

    /// A message from the parent.
    private struct Received {
        /// Nil for bytes that are no command.
        let command: WorkerCommand?
        /// -1 for none.
        let descriptor: Int32
    }

    private mutating func serve() throws(WorkerSocket.Failure) -> Int32 {
        var received = try receive()
        while true {
            switch received.command {
            case .request(let request):
                guard slab.extend(to: request.slabBytes),
                    let input = WorkerInputBytes(
                        request.input, descriptor: received.descriptor, slabBytes: slab.byteCount)
                else {
                    // The parent sends only places that exist, so the address space is at its limit.
                    try reportOutOfMemory(request)
                    received = try receive()
                    continue
                }
                guard let next = try run(request, input) else { return 70 }
                received = next
            case .releaseMemory:
                guard received.descriptor < 0 else { return 70 }
                PixelPool.shared.removeAll()
                pisb_release_freed_memory()
                received = try receive()
            case .start, .proceed, .frame, nil: return 70
            }
        }
    }

    private mutating func receive() throws(WorkerSocket.Failure) -> Received {
        let (message, descriptor) = try socket.receiveWithDescriptor(&incoming)
        return Received(command: try? WorkerCommand(wireBytes: message), descriptor: descriptor)
    }

    /// Receives the next message that is not a command to release memory after another request.
    private mutating func receive(during request: WorkerRequest) throws(WorkerSocket.Failure) -> Received {
        while true {
            let next = try receive()
            guard case .releaseMemory(let number) = next.command, number != request.number, next.descriptor < 0
            else { return next }
        }
    }

    /// Runs a request.
    ///
    /// - Returns: The message after it; nil after a message that the protocol does not allow.
    private mutating func run(
        _ request: WorkerRequest, _ input: borrowing WorkerInputBytes
    ) throws(WorkerSocket.Failure) -> Received? {
        let flag = request.deadline.map { nanoseconds in
            let flag = CancellationFlag()
            flag.setDeadline(.now.advanced(by: .nanoseconds(nanoseconds)))
            return flag
        }
        callHook(request, input)
        let decoder = LocalDecoder(
            options: request.options, contentType: request.contentType, flag: flag, transforms: transforms)
        if request.operation == .frames { return try serveFrames(request, input, decoder) }
        guard case .images(let operation) = request.operation else {
            let result = input.withBytes(&slab) { (bytes, _) in
                WorkerJob.result(of: request.operation, bytes, decoder)
            }
            try report(.finished(number: request.number, result))
            return try receive()
        }
        let prepared = input.withBytes(&slab) { (bytes, _) in
            Result { () throws(DecodeError) in
                try WorkerJob(operation, bytes, decoder)
            }
        }
        switch prepared {
        case .failure(let error):
            try report(.finished(number: request.number, .failure(error)))
            return try receive()
        case .success(let job):
            let outputStart: Int
            if let place = request.output, job.outputBytes <= place.byteCount {
                outputStart = place.start
            } else {
                try report(.measured(number: request.number, byteCount: job.byteCount, outputBytes: job.outputBytes))
                let next = try receive(during: request)
                guard case .proceed(request.number, let slabBytes, let start) = next.command else { return next }
                guard next.descriptor < 0 else { return nil }
                guard slab.extend(to: slabBytes) else {
                    try reportOutOfMemory(request)
                    return try receive()
                }
                outputStart = start
            }
            guard outputStart <= slab.byteCount - job.outputBytes else { return nil }
            let result = input.withBytes(&slab) { (bytes, slab) in
                slab.withMutableBytes(outputStart..<outputStart + job.outputBytes) { (output) in
                    job.result(bytes, into: &output)
                }
            }
            try report(.finished(number: request.number, result))
            return try receive()
        }
    }

    private mutating func callHook(_ request: WorkerRequest, _ input: borrowing WorkerInputBytes) {
        guard let hook else { return }
        let bytes = input.withBytes(&slab) { (bytes, _) in [UInt8](bytes) }
        let inputEnd = if case .slab(let byteCount) = request.input { byteCount } else { 0 }
        let rest = slab.withMutableBytes(inputEnd..<slab.byteCount) { [UInt8]($0.span) }
        hook(request.number, bytes, rest)
    }

    /// Opens an animation and serves its frames until the next request.
    private mutating func serveFrames(
        _ request: WorkerRequest, _ input: borrowing WorkerInputBytes, _ decoder: LocalDecoder
    ) throws(WorkerSocket.Failure) -> Received? {
        let opened = input.withBytes(&slab) { (bytes, _) in
            Result { () throws(DecodeError) in
                try FrameComposer([UInt8](bytes), decoder)
            }
        }
        switch opened {
        case .failure(let error): try report(.finished(number: request.number, .failure(error)))
        case .success(let composer): try report(.finished(number: request.number, .frames(composer.header)))
        }
        while true {
            let next = try receive(during: request)
            guard case .frame(request.number, let step, let slabBytes) = next.command,
                case .success(let composer) = opened
            else { return next }
            guard next.descriptor < 0 else { return nil }
            guard slab.extend(to: slabBytes) else {
                try reportOutOfMemory(request)
                continue
            }
            let result = slab.withMutableBytes(0..<slab.byteCount) { output in
                WorkerJob.result(of: step, composer, into: &output)
            }
            try report(.finished(number: request.number, result))
        }
    }

    private func reportOutOfMemory(_ request: WorkerRequest) throws(WorkerSocket.Failure) {
        let error = DecodeError(.outOfMemory, "out of memory: shared memory of a decode worker")
        try report(.finished(number: request.number, .failure(error)))
    }

    private func report(_ report: WorkerReport) throws(WorkerSocket.Failure) {
        try socket.send(report.wireBytes, milliseconds: -1)
    }
}

extension SandboxReport {
    fileprivate init(_ confinement: pisb_confinement) {
        self.init(
            noNewPrivileges: confinement.no_new_privileges, hasSystemCallFilter: confinement.seccomp,
            landlockVersion: Int(confinement.landlock), hasLimits: confinement.limits,
            errorNumber: Int(confinement.error))
    }
}
