#if Tool
import Foundation
import PlatformImageToolSupport

/// Warns on stderr that figures of a debug build mean nothing.
func warnOfDebugBuild() {
    #if DEBUG
    printError("imagetool: this is a debug build: its figures say nothing, build with -c release")
    #endif
}

/// Runs `body` with a new folder, which is removed afterwards.
///
/// - Parameters:
///   - parent: Folder to make it in; nil for the system's temporary one.
///   - kind: Part of its name.
/// - Throws: The exit code of a ``Failure``, after a line on stderr; other errors as they are.
func withNewFolder<R>(
    in parent: String? = nil, _ kind: String = "bench", _ body: (String) async throws -> R
) async throws -> R {
    let parent = parent ?? FileManager.default.temporaryDirectory.path(percentEncoded: false)
    return try await withReport(parent) {
        let folder = "\(parent)/imagetool-\(kind)-\(UUID().uuidString)"
        do {
            // A disk cache uses no folder that its group may write to, as umask 002 would have it.
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(.ioError, "io: no folder can be made in it")
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }
}
#endif
