#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The protections of a worker process, as /proc shows them.
struct WorkerFacts {
    let process: Int32
    /// Seccomp mode: 2 for a filter; `nil` when the process has ended.
    let seccompMode: Int?
    let hasNoNewPrivileges: Bool?
    /// Bytes of the environment; `nil` when it is not readable. The kernel shows the environment and the descriptors of
    /// a worker only to privileged users, because a worker cannot be inspected (PR_SET_DUMPABLE).
    let environmentBytes: Int?
    /// Targets of the open descriptors, such as `socket:[123]` and `/memfd:slab (deleted)`; `nil` when not readable.
    let descriptors: [String]?

    init(process: Int32) {
        self.process = process
        let folder = "/proc/\(process)/"
        let status = Self.content(of: folder + "status").map { String(decoding: $0, as: UTF8.self) } ?? ""
        seccompMode = Self.number("Seccomp:", in: status)
        hasNoNewPrivileges = Self.number("NoNewPrivs:", in: status).map { $0 == 1 }
        environmentBytes = Self.content(of: folder + "environ")?.count
        descriptors = Self.links(in: folder + "fd")
    }

    /// The first property that is not that of a confined worker; `nil` when there is none.
    var defect: String? {
        if seccompMode != 2 { return "the worker has no seccomp filter" }
        if hasNoNewPrivileges != true { return "the worker can gain privileges" }
        if let environmentBytes, environmentBytes > 0 { return "the worker has an environment" }
        if let other = descriptors?.first(where: { !Self.isExpected($0) }) { return "the worker has opened \(other)" }
        return nil
    }

    /// True for a socket or anonymous shared memory.
    static func isExpected(_ target: String) -> Bool { target.hasPrefix("socket:") || target.hasPrefix("/memfd:") }

    private static func number(_ name: String, in status: String) -> Int? {
        status.split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: "\t").last.flatMap { Int($0) }
    }

    private static func content(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { return content }
            content += buffer.prefix(count)
        }
    }

    private static func links(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var targets: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            var buffer = [CChar](repeating: 0, count: 4096)
            let count = readlink(folder + "/" + name, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            targets.append(String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return targets
    }
}
