import PlatformImage
import PlatformImageToolSupport
import Synchronization

/// Paths of the inputs of one `thumb` run: those of the command line, then those of a list, which is read line by line
/// and not kept.
final class ThumbInputs: Sendable {
    private struct State {
        /// Paths of the last line that are not yet returned, last path first.
        var pending: [String]
        var lineCount = 0
        var ignoredCount: Int
        var pathCount = 0
        var failure: Failure?

        mutating func takePending() -> String? {
            guard let path = pending.popLast() else { return nil }
            pathCount += 1
            return path
        }
    }

    /// Paths of the command line.
    let arguments: [String]
    /// Number of inputs; `nil` with a list, whose length is not known in advance.
    let count: Int?
    private let list: LineInput?
    private let endsWithNUL: Bool
    private let isRecursive: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - files: Files of the command line.
    ///   - list: Paths of files and, with `isRecursive`, of folders; `nil` for no list.
    ///   - endsWithNUL: See ``InputPaths/path(inLine:endsWithNUL:)``.
    init(_ files: ExpandedPaths, list: LineInput?, endsWithNUL: Bool, isRecursive: Bool) {
        arguments = files.paths
        count = list == nil ? files.paths.count : nil
        self.list = list
        self.endsWithNUL = endsWithNUL
        self.isRecursive = isRecursive
        state = Mutex(State(pending: files.paths.reversed(), ignoredCount: files.ignoredCount))
    }

    /// The next path, or `nil` at the end; blocks while the list has no complete line. Calls must not overlap.
    func nextBlocking() -> String? {
        while true {
            if let path = state.locked(in: self, { $0.takePending() }) { return path }
            switch list?.nextBlocking() {
            case nil: return nil
            case .tooLong:
                state.locked(in: self) { $0.failure = Failure(.usage, "lineTooLong: a path of the list is too long") }
            case .line(let line)?:
                guard let path = InputPaths.path(inLine: line, endsWithNUL: endsWithNUL) else { continue }
                let files = InputPaths.expandFolders([path], isRecursive: isRecursive)
                state.locked(in: self) { state in
                    state.lineCount += 1
                    state.ignoredCount += files.ignoredCount
                    state.pending = files.paths.reversed()
                }
            }
        }
    }

    /// The list was not read completely; `nil` otherwise.
    var listFailure: Failure? { list?.failure ?? state.locked(in: self) { $0.failure } }

    /// Number of entries of folders that are not inputs, because they are not files with the name of an image.
    var ignoredCount: Int { state.locked(in: self) { $0.ignoredCount } }

    /// True when the list is not empty, but contains only folders without images.
    var hasOnlyEmptyFolders: Bool { state.locked(in: self) { $0.lineCount > 0 && $0.pathCount == 0 } }
}
