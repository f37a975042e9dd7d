#if os(Linux)
import Foundation

/// Libraries that replace functions of the C library, for `LD_PRELOAD` of a probe.
enum FaultPreload {
    /// The path of the library that is compiled from `Tests/FaultShim`, once per run. If the compilation fails, each
    /// test that uses the library fails.
    static var shim: String { get throws { try compiled.get() } }

    private static let compiled = Result {
        let folder = try FaultFolder(isKept: true)
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "FaultShim/fault_shim.c")
        let library = folder.path + "/fault_shim.so"
        let words = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source.path(), "-ldl"]
        let compiler = try Probe(words, program: "cc")
        guard compiler.wait() == 0 else { throw CannotCompile(source: source.path()) }
        atexit { FaultPreload.removeLibrary() }
        return library
    }

    struct CannotCompile: Error { let source: String }

    private static func removeLibrary() {
        guard let library = try? compiled.get() else { return }
        try? FileManager.default.removeItem(at: URL(filePath: library).deletingLastPathComponent())
    }

    /// Debian's libfaketime, which changes the wall clock of a process; nil when it is not installed.
    static let fakeTime: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        let names =
            folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" } + ["/usr/lib/faketime/libfaketimeMT.so.1"]
        return names.first { FileManager.default.fileExists(atPath: $0) }
    }()
}
#endif
