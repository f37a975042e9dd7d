import Foundation
import PlatformImageToolSupport

/// Prints a warning on stderr in a debug build, whose measurements are not meaningful.
func warnIfDebugBuild() {
    #if DEBUG
    printError("imagetool: this is a debug build, whose measurements are not meaningful; build with -c release")
    #endif
}

/// Runs `body` with a new folder, and removes the folder afterwards.
///
/// - Parameters:
///   - parent: Parent folder; `nil` for the system's temporary directory.
///   - kind: Part of the folder's name.
/// - Throws: The exit code of a ``Failure``, after a line on stderr; other errors unchanged.
func withTemporaryFolder<R>(
    in parent: String? = nil, _ kind: String = "bench", _ body: (String) async throws -> R
) async throws -> R {
    let parent = parent ?? FileManager.default.temporaryDirectory.path(percentEncoded: false)
    return try await reportingFailure(parent) {
        let folder = "\(parent)/imagetool-\(kind)-\(UUID().uuidString)"
        do {
            // A disk cache rejects group-writable directories, which a umask of 002 would create.
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(.ioError, "io: cannot create a temporary folder")
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }
}
