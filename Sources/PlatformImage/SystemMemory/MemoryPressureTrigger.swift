// The sources of memory pressure events exist on Linux only.
#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open source of pressure events: a descriptor to poll, and the event to report when it is ready.
enum MemoryPressureTrigger: ~Copyable {
    case stalls(ProcFile)
    case cgroup(CgroupEventWatch)

    /// The `pollfd` of the source.
    var request: pollfd {
        switch self {
        case .stalls(let file): pollfd(fd: file.descriptor, events: Int16(POLLPRI), revents: 0)
        case .cgroup(let watch): pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        }
    }

    /// The event since the last call; nil for none. Call it only after `poll` reported the descriptor as ready.
    mutating func event() -> MemoryPressureEvent? {
        switch consume self {
        case .stalls(let file):
            // `poll` has already reset the PSI trigger, so nothing is read from the file.
            self = .stalls(file)
            return MemoryPressureEvent(.systemStalls)
        case .cgroup(var watch):
            let increase = watch.increase()
            self = .cgroup(watch)
            return increase.isZero ? nil : MemoryPressureEvent(.cgroupEvents, increase)
        }
    }

    /// Registers a PSI trigger: an event when tasks waited for memory for `stall` in total within `window` (kernel
    /// document accounting/psi).
    static func stalls(
        file path: String, stall: Duration, window: Duration
    ) -> Result<MemoryPressureTrigger, MemoryPressureFailure> {
        switch ProcFile.open(Array(path.utf8), O_RDWR) {
        case .failure(let failure): return .failure(MemoryPressureFailure("\(path): \(failure)"))
        case .success(let file):
            let threshold = "some \(stall.microsecondCount) \(window.microsecondCount)"
            if let failure = file.write(Array(threshold.utf8) + [0]) {
                return .failure(MemoryPressureFailure("\(path): writing \"\(threshold)\" failed: \(failure)"))
            }
            return .success(.stalls(file))
        }
    }

    /// Watches the event files of the process's cgroup and its ancestors.
    static func cgroup(root: String) -> Result<MemoryPressureTrigger, MemoryPressureFailure> {
        let folders = CgroupMemory(root: Array(root.utf8)).folders.filter { $0.version == .v2 }
        guard let processFolder = folders.first else {
            return .failure(MemoryPressureFailure("no cgroup of version 2 is mounted"))
        }
        let inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard inotify >= 0 else {
            return .failure(MemoryPressureFailure("inotify_init1 failed: \(ProcFile.Failure.last)"))
        }
        var watch = CgroupEventWatch(inotify: ProcFile(owning: inotify))
        var failure: String?
        for folder in folders {
            // `memory.events` also counts events of descendant cgroups, which may belong to other processes;
            // `memory.events.local` does not, but exists only since Linux 5.2.
            if watch.add(folder.file("memory.events.local")) != nil {
                let refusal = watch.add(folder.file("memory.events"))
                failure = failure ?? refusal
            }
        }
        guard watch.isEmpty else { return .success(.cgroup(watch)) }
        let path = String(decoding: processFolder.file("memory.events"), as: UTF8.self)
        return .failure(MemoryPressureFailure("\(path): \(failure ?? "not found")"))
    }
}

/// The reason why a source cannot be used.
struct MemoryPressureFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Counter files watched with inotify, with the counters last read.
struct CgroupEventWatch: ~Copyable {
    private let inotify: ProcFile
    private var files: [(path: [UInt8], counters: MemoryEventCounters)] = []

    init(inotify: consuming ProcFile) { self.inotify = inotify }

    var descriptor: Int32 { inotify.descriptor }
    var isEmpty: Bool { files.isEmpty }

    /// Adds a file; returns the reason when it cannot be watched, nil on success.
    mutating func add(_ path: [UInt8]) -> String? {
        let terminated = path.map { CChar(bitPattern: $0) } + [0]
        guard unsafe inotify_add_watch(inotify.descriptor, terminated, UInt32(IN_MODIFY)) >= 0 else {
            return "\(ProcFile.Failure.last)"
        }
        // The counters are read after the watch is added, so that no change is lost: a change between the two calls is
        // in the counters and also causes an event.
        guard let text = ProcFile.contents(of: path, maxBytes: 1 << 16) else { return "the file cannot be read" }
        var counters = MemoryEventCounters()
        counters.update(from: text)
        files.append((path, counters))
        return nil
    }

    /// The increase of the counters since the last call.
    mutating func increase() -> MemoryEventCounters {
        // All files are read again, so the events are discarded. 4 KiB are sufficient for any single event
        // (inotify(7)).
        while case .success(let events) = inotify.read(maxBytes: 4096), !events.isEmpty {}
        var increase = MemoryEventCounters()
        for index in files.indices {
            // If the cgroup was removed or the file cannot be read, the counters do not change.
            guard let text = ProcFile.contents(of: files[index].path, maxBytes: 1 << 16) else { continue }
            let old = files[index].counters
            files[index].counters.update(from: text)
            increase += files[index].counters.increase(since: old)
        }
        return increase
    }
}

#endif
