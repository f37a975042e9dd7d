/// Sandboxed processes that decode images; any number of decoders and threads may share them.
///
/// Each worker process decodes one image at a time. It has no access to files, the network or other processes (Linux:
/// seccomp, Landlock), and receives only the bytes of the images. The program must ship the executable
/// `imagetool-decoder`. Available on Linux only.
///
/// ```swift
/// var decoder = ImageDecoder()
/// decoder.isolation = DecodeIsolation(try DecodeWorkers())
/// let image = try decoder.decode(bytes)
/// ```
///
/// The worker processes end when this object and all decoders and frames that use it are released.
public final class DecodeWorkers: Sendable {
    /// The confinement of the first worker, which all workers have.
    public let sandbox: Sandbox
    let configuration: Configuration
    let supply: WorkerSupply
    let refusedFiles: RefusedFiles

    /// Starts the first worker, so that an error appears here and not at the first image. The others start in the
    /// background: after 100 ms, or earlier when a request waits.
    ///
    /// - Throws: `workerUnavailable`; `invalidArgument` when a number of the configuration is out of its range.
    public convenience init(_ configuration: Configuration = Configuration()) throws(DecodeError) {
        var configuration = configuration
        try configuration.check()
        if configuration.workerCount == 0 { configuration.workerCount = AvailableProcessors().count }
        let executable: String
        if let path = configuration.executable {
            executable = path
        } else {
            executable = try Configuration.besideProgram()
        }
        configuration.executable = executable
        configuration.limitAddressSpace(cgroupLimit: AvailableMemory().cgroupLimit)
        let checked = configuration
        let start = { @Sendable () throws(DecodeError) in try WorkerProcess(executable: executable, checked) }
        self.init(first: try start(), configuration, start: start)
    }

    /// - Parameter start: Starts the workers after the first one.
    init(
        first: WorkerProcess, _ configuration: Configuration,
        start: @escaping @Sendable () throws(DecodeError) -> WorkerProcess
    ) {
        self.configuration = configuration
        sandbox = Sandbox(first.sandbox)
        refusedFiles = RefusedFiles(time: configuration.refusalTime)
        supply = WorkerSupply(first: first, configuration, start: start)
    }

    deinit { supply.close() }

    /// Ends the idle workers and waits for them, so that their CPU time counts for this process.
    ///
    /// Call it when no request is left.
    package func end() { supply.close() }

    /// Counts since the start.
    public var statistics: Statistics {
        var statistics = supply.statistics
        statistics.refusedFiles = refusedFiles.refusedCount
        return statistics
    }

    /// Process numbers of the workers that are alive, in ascending order.
    public var processIdentifiers: [Int32] { supply.processIdentifiers }

    /// Process number of the idle worker that the next request uses; nil when none is idle.
    package var nextProcessIdentifier: Int32? { supply.nextProcessIdentifier }

    /// Bytes of shared memory that the idle workers keep.
    package var residentSlabBytes: Int { supply.residentSlabBytes }
}

extension DecodeWorkers {
    /// The protections that a worker process has.
    public struct Sandbox: Hashable, Sendable {
        /// Version of the Landlock ABI, which removes the access to files, the network and other processes; 0 when the
        /// kernel has no Landlock. The system call filter then is the only protection of these.
        public let landlockVersion: Int

        init(_ report: SandboxReport) { landlockVersion = report.landlockVersion }
    }

    /// Reasons for which a worker process ended.
    public enum EndReason: String, CaseIterable, Sendable {
        /// A signal or an exit during a decode.
        case crashed
        /// An end between two decodes, or by a signal of another program.
        case killed
        /// An answer that no correct worker sends.
        case protocolViolation
        /// ``Configuration/timeLimit``.
        case timedOut
        /// A cancelled decode or a deadline.
        case cancelled
        /// ``Configuration/requestsPerWorker``, or the worker had no memory left.
        case retired
    }

    /// Counts of a set of workers.
    public struct Statistics: Sendable {
        /// Workers that are alive.
        public internal(set) var aliveWorkers = 0
        /// Workers that decode now, or have an open animation.
        public internal(set) var busyWorkers = 0
        /// Requests to workers; a decode on a ``DecodeQueue`` can count twice.
        public internal(set) var requests = 0
        /// Ended workers by reason.
        public internal(set) var endedWorkers: [EndReason: Int] = [:]
        /// Requests that waited for a free worker.
        public internal(set) var waits = 0
        /// Sum of the times of these waits.
        public internal(set) var waitTime = Duration.zero
        /// Decodes that were refused because their file had ended workers before.
        public internal(set) var refusedFiles = 0
    }

    /// The end of a worker during a decode.
    public struct Failure: Sendable {
        /// The reason.
        public let reason: EndReason
        /// The error that the decode throws.
        public let error: DecodeError
        /// Process number of the worker.
        public let processIdentifier: Int32
    }
}
