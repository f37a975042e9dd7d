extension DecodeWorkers {
    /// Number, limits and executable of worker processes.
    public struct Configuration: Sendable {
        /// Path of the worker program; nil for `imagetool-decoder` in the folder of the running program.
        public var executable: String?
        /// Maximum number of concurrent decodes; one more process is kept ready. 0 means the number of processors that
        /// ``DecodeQueue/init(width:budget:niceness:)`` uses.
        public var workerCount = 0
        /// Requests after which a worker is replaced, at least 1; 1 means one process per image.
        public var requestsPerWorker = 1000
        /// Bytes of shared memory that an idle worker keeps, 0 or more; more is released after three seconds, together
        /// with the other memory that the worker does not use.
        public var idleSlabBytes = 4 << 20
        /// Maximum address space of a worker in bytes (RLIMIT_AS), at least 256 MiB; a decode that needs more throws
        /// `limitExceeded` with the detail `workerMemory`. It is lowered to three quarters of the lowest memory limit
        /// of the program's cgroup and its ancestors at the start, but not below 64 MiB.
        public var addressSpaceBytes = 3 << 30
        /// Maximum time of one request; then the worker is ended, and the decode throws `timedOut`.
        public var timeLimit = Duration.seconds(60)
        /// Scheduling priority of the workers, 0 (as the program) to 19 (lowest), as in `nice`.
        public var niceness = 0
        /// Time during which a file is refused that crashed a worker, or whose decode was ended twice by the SIGKILL or
        /// SIGTERM of another program or of the OOM killer.
        public var refusalTime = Duration.seconds(600)
        /// Called after a worker ended during a decode, with the bytes of the file, on the thread of the decode.
        public var onFailure: (@Sendable (Failure, Span<UInt8>) -> Void)?

        /// The default configuration.
        public init() {}

        func check() throws(DecodeError) {
            try DecodeError.check(workerCount, "workerCount", isIn: 0...4096)
            try DecodeError.check(requestsPerWorker, "requestsPerWorker", isIn: 1 ... .max)
            try DecodeError.check(idleSlabBytes, "idleSlabBytes", isIn: 0 ... .max)
            try DecodeError.check(addressSpaceBytes, "addressSpaceBytes", isIn: (256 << 20) ... .max)
            try DecodeError.check(niceness, "niceness", isIn: 0...19)
            guard timeLimit > .zero else {
                throw .invalidArgument("timeLimit", "\(timeLimit)", allowed: "more than 0 seconds")
            }
        }

        /// Lowers ``addressSpaceBytes``, so that a worker reports that it has no memory before the cgroup has none and
        /// the OOM killer ends it.
        ///
        /// - Parameter cgroupLimit: ``AvailableMemory/cgroupLimit``.
        mutating func limitAddressSpace(cgroupLimit: Int?) {
            guard let cgroupLimit else { return }
            // The rest is for the program. A worker needs up to 30 MiB before its first decode.
            addressSpaceBytes = min(addressSpaceBytes, max(64 << 20, cgroupLimit / 4 * 3))
        }

        /// The path of `imagetool-decoder` in the folder of the running program.
        static func besideProgram() throws(DecodeError) -> String {
            guard let program = ProgramPath.current, let slash = program.lastIndex(of: "/") else {
                throw DecodeError(
                    .workerUnavailable, detail: "executableMissing",
                    "the path of the running program is not known: set the path of imagetool-decoder")
            }
            return program[...slash] + "imagetool-decoder"
        }
    }
}
