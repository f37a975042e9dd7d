#if os(Linux)
import Foundation

/// A temporary folder for the cache of one test, removed on deinit.
final class FaultFolder: Sendable {
    let path: String
    private let isKept: Bool

    init(isKept: Bool = false) throws {
        self.isKept = isKept
        path = FileManager.default.temporaryDirectory.appending(path: "disk-faults-\(UUID().uuidString)").path()
        // Under umask 002 the folder would be writable for the group, and the cache would not use it.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        guard !isKept else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The relative paths of all files below the folder.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    var temporaryFiles: [String] { files.filter { $0.hasSuffix(".tmp") } }
}

/// The random seed of this run: `FAULT_SEED`, or the clock. Every test prints the seed.
enum FaultSeed {
    static let ofRun: UInt64 =
        ProcessInfo.processInfo.environment["FAULT_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 * 1_000)

    /// A seed for the test `name`, derived from ``ofRun``. Prints ``ofRun``, so that the run can be repeated with
    /// `FAULT_SEED`.
    static func of(_ name: String) -> UInt64 {
        print("faults: \(name) FAULT_SEED=\(ofRun)")
        return name.utf8.reduce(ofRun) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Run time of the endurance tests in seconds: `FAULT_SECONDS`, or 2.
    static let seconds: Double = ProcessInfo.processInfo.environment["FAULT_SECONDS"].flatMap { Double($0) } ?? 2
}
#endif
