// Linux alone has these sources.
#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A source that was opened: a descriptor to wait on, and what there is to tell when it is ready.
enum MemoryPressureTrigger: ~Copyable {
    case stalls(KernelFile)
    case cgroup(CgroupEventWatch)

    /// What to wait for, for `poll`.
    var request: pollfd {
        switch self {
        case .stalls(let file): pollfd(fd: file.descriptor, events: Int16(POLLPRI), revents: 0)
        case .cgroup(let watch): pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        }
    }

    /// What happened; nil for nothing new.
    mutating func event() -> MemoryPressureEvent? {
        switch consume self {
        case .stalls(let file):
            // Asking with `poll` has reset it.
            self = .stalls(file)
            return MemoryPressureEvent(.systemStalls)
        case .cgroup(var watch):
            let rise = watch.rise()
            self = .cgroup(watch)
            return rise.isZero ? nil : MemoryPressureEvent(.cgroupEvents, rise)
        }
    }

    /// Asks the kernel to tell when tasks waited for memory for `stall` in all, within `window`
    /// (the kernel's document accounting/psi).
    static func stalls(
        file path: String, stall: Duration, window: Duration
    ) -> Result<MemoryPressureTrigger, MemoryPressureFailure> {
        switch KernelFile.open(Array(path.utf8), O_RDWR) {
        case .failure(let failure): return .failure(MemoryPressureFailure("\(path): \(failure)"))
        case .success(let file):
            let order = "some \(stall.microsecondCount) \(window.microsecondCount)"
            if let failure = file.write(Array(order.utf8) + [0]) {
                return .failure(MemoryPressureFailure("\(path): \(failure) at \"\(order)\""))
            }
            return .success(.stalls(file))
        }
    }

    /// Watches the files of the process's cgroup and of those above it.
    static func cgroup(root: String) -> Result<MemoryPressureTrigger, MemoryPressureFailure> {
        let folders = CgroupMemory(root: Array(root.utf8)).folders.filter { $0.version == .v2 }
        guard let own = folders.first else {
            return .failure(MemoryPressureFailure("no cgroup of version 2 is mounted"))
        }
        let inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard inotify >= 0 else { return .failure(MemoryPressureFailure("inotify: \(KernelFile.Failure.last)")) }
        var watch = CgroupEventWatch(inotify: KernelFile(owning: inotify))
        var failure: String?
        for folder in folders {
            // The plain file also counts what happens in cgroups below, which are others' unless it is the own one;
            // before Linux 5.2 it is all there is.
            if watch.add(folder.file("memory.events.local")) != nil {
                let refusal = watch.add(folder.file("memory.events"))
                failure = failure ?? refusal
            }
        }
        guard watch.isEmpty else { return .success(.cgroup(watch)) }
        let path = String(decoding: own.file("memory.events"), as: UTF8.self)
        return .failure(MemoryPressureFailure("\(path): \(failure ?? "not found")"))
    }
}

/// Why a source cannot be used.
struct MemoryPressureFailure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Files with counters, and what the counters were when last read.
struct CgroupEventWatch: ~Copyable {
    private let inotify: KernelFile
    private var files: [(path: [UInt8], counters: MemoryEventCounters)] = []

    init(inotify: consuming KernelFile) { self.inotify = inotify }

    var descriptor: Int32 { inotify.descriptor }
    var isEmpty: Bool { files.isEmpty }

    /// Returns why the file cannot be watched; nil when it is.
    mutating func add(_ path: [UInt8]) -> String? {
        let terminated = path.map { CChar(bitPattern: $0) } + [0]
        guard unsafe inotify_add_watch(inotify.descriptor, terminated, UInt32(IN_MODIFY)) >= 0 else {
            return "\(KernelFile.Failure.last)"
        }
        // Read after the watch is there: a change in between is in the counters or is told, or both.
        guard let text = KernelFile.contents(of: path, maxBytes: 1 << 16) else { return "cannot be read" }
        var counters = MemoryEventCounters()
        counters.update(from: text)
        files.append((path, counters))
        return nil
    }

    /// How far the counters have risen since the last call.
    mutating func rise() -> MemoryEventCounters {
        // Which file it was does not matter: all are small. 4 KiB hold any one event (inotify(7)).
        while case .success(let events) = inotify.read(maxBytes: 4096), !events.isEmpty {}
        var rise = MemoryEventCounters()
        for index in files.indices {
            // A cgroup that is gone, or a text that makes no sense, changes nothing.
            guard let text = KernelFile.contents(of: files[index].path, maxBytes: 1 << 16) else { continue }
            let old = files[index].counters
            files[index].counters.update(from: text)
            rise += files[index].counters.rise(since: old)
        }
        return rise
    }
}

#endif
