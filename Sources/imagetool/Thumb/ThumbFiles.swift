import PlatformImage
import PlatformImageToolSupport
import Synchronization

/// Output files of one run. Each is written atomically and replaces neither an input nor another output of the run.
///
/// Only the hash values of paths and file identities are kept, because a list can have millions of inputs. A collision
/// of two hash values, with a probability of 1 in 10^7 for a million inputs, refuses an output.
final class ThumbFiles: Sendable {
    private struct State {
        /// Hash values of the identities of all inputs that were read or will be read soon.
        var inputs: Set<Int> = []
        /// Input for the hash value of each resolved output path: `x`, `./x` and a symbolic link to `x` have the same
        /// resolved path. An empty text for inputs whose paths are not kept.
        var reserved: [Int: String] = [:]
    }

    private let keepsPaths: Bool
    private let state = Mutex(State())

    /// - Parameter keepsPaths: Keeps the paths of the inputs, for error messages.
    init(keepsPaths: Bool) { self.keepsPaths = keepsPaths }

    /// Adds an input, which no output may replace.
    func add(input: String) {
        guard let identity = FileIdentity(path: input) else { return }
        _ = state.locked(in: self) { $0.inputs.insert(identity.hashValue) }
    }

    /// Reserves an output path for one input, whether or not the output file exists.
    ///
    /// - Throws: `sameOutput` when another input has reserved the path.
    func reserve(_ path: String, for input: String) throws(Failure) {
        let hash = Self.hash(of: path)
        let other = state.locked(in: self) { state in
            let other = state.reserved[hash]
            if other == nil { state.reserved[hash] = keepsPaths ? input : "" }
            return other
        }
        if let other { throw Self.sameOutput(path, other) }
    }

    /// The failure of an input whose output path another input has reserved; otherwise `nil`.
    func conflict(at path: String) -> Failure? {
        let hash = Self.hash(of: path)
        return state.locked(in: self) { $0.reserved[hash] }.map { Self.sameOutput(path, $0) }
    }

    /// Hash value of the bytes of the resolved path: strings with different bytes can be equal.
    private static func hash(of path: String) -> Int { Array(canonicalPath(of: path).utf8).hashValue }

    private static func sameOutput(_ path: String, _ other: String) -> Failure {
        let owner = other.isEmpty ? "another input of the list" : other
        return Failure(.usage, "sameOutput: \(path) is already the output of \(owner)")
    }

    /// Writes a thumbnail and creates the missing folders of its path.
    ///
    /// - Throws: ``Failure`` when `path` is an input or another output, or its file name is too long; ``OutputFailure``
    ///   for all other failed writes, which end the run.
    func write(_ thumb: Thumb, of input: String, to path: String) throws {
        if path != "-" {
            // The path can be resolved only when its folder exists.
            makeFolders(of: path)
            try check(path, for: input)
        }
        do {
            let output = try Output(path: path)
            try output.write(thumb.file.span)
            try output.commit()
        } catch {
            guard error.isNameTooLong else { throw error }
            throw Failure(.ioError, "io: the output file name is too long: \(path)")
        }
    }

    /// Reserves an output path and checks that the output replaces no input.
    ///
    /// - Throws: `sameOutput`.
    func check(_ path: String, for input: String) throws(Failure) {
        try reserve(path, for: input)
        if let identity = FileIdentity(path: path), state.locked(in: self, { $0.inputs.contains(identity.hashValue) }) {
            throw Failure(.usage, "sameOutput: \(path) would replace an input")
        }
        if !keepsPaths, FileIdentity(path: path) != nil,
            resolved(parentFolder(of: path)) == resolved(parentFolder(of: input))
        {
            throw Failure(
                .usage, "sameOutput: \(path) exists in the folder of the input, and can be an input of the list")
        }
    }

    /// Absolute path without symbolic links; `path` unchanged when its folder does not exist, in which case writing
    /// fails later.
    private static func canonicalPath(of path: String) -> String {
        if let file = resolved(path) { return file }
        guard let folder = resolved(parentFolder(of: path)) else { return path }
        return "\(folder)/\(path.lastPathComponent)"
    }
}

/// Output paths of the inputs that are in progress, as far as they are known before the inputs are read.
///
/// `{name}.jpg` is the output of both `a.gif` and `a.png`, and the second input is rendered only if the first one
/// failed.
final class PendingOutputs: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Adds a path; returns false when an input in progress has the same path.
    func insert(_ path: String) -> Bool {
        counts.locked(in: self) { counts in
            counts[path, default: 0] += 1
            return counts[path] == 1
        }
    }

    /// Removes a path that was added.
    func remove(_ path: String) {
        counts.locked(in: self) { counts in
            counts[path] = counts[path].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
}
