import PlatformImage
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Recipe and output template of one `thumb` run; reads, decodes and encodes single inputs.
struct ThumbJob: Sendable {
    /// Result of reading and encoding one input; nothing is written yet.
    enum JobResult: Sendable {
        /// The thumbnail, and the file attributes of the input, read before its content; `nil` for stdin.
        case created(Thumb, FileFacts?)
        /// The output exists already.
        case skipped(output: String)
        case failed(Failure)
    }

    let recipe: ThumbRecipe
    let template: OutputTemplate
    let skipsExisting: Bool

    /// Reads, decodes and encodes an input; blocks until done.
    func result(of input: String) -> JobResult {
        do {
            guard template.staysInsideFolder(input) else {
                throw Failure(
                    .usage, "outsideOutput: {dir} contains .., so the file would be outside the output folder")
            }
            if skipsExisting, let output = template.path(for: input, size: nil, format: recipe.format), exists(output) {
                return .skipped(output: output)
            }
            // Read the attributes before the bytes: an input that changes in between is processed again by the next
            // run.
            let facts = FileFacts(path: input)
            let bytes = try readInput(input, limit: recipe.decoder.options.limits.maxInputBytes)
            return try convertingDecodeError {
                if skipsExisting, let output = try output(for: input, bytes), exists(output) {
                    return .skipped(output: output)
                }
                return .created(try recipe.makeThumbnail(bytes), facts)
            }
        } catch let failure as Failure {
            return .failed(failure)
        } catch {
            return .failed(Failure(.software, "internal: \(error)"))
        }
    }

    /// Output path of a thumbnail.
    func output(for input: String, _ thumb: Thumb) -> String {
        // `path(for:size:format:)` returns `nil` only for a missing size or format, and both are passed here.
        template.path(for: input, size: (thumb.width, thumb.height), format: thumb.format) ?? template.text
    }

    /// Output path of an input if it does not depend on the image; otherwise `nil`.
    func knownOutput(for input: String) -> String? {
        let output = template.path(for: input, size: nil, format: recipe.format)
        return output == "-" ? nil : output
    }

    /// Output path, computed from the image header without decoding pixels; `nil` when the crop leaves no pixels.
    private func output(for input: String, _ bytes: [UInt8]) throws(DecodeError) -> String? {
        let header = try recipe.decoder.header(of: bytes)
        let isTurned = recipe.decoder.options.appliesOrientation
        let (width, height) = isTurned ? (header.displayWidth, header.displayHeight) : (header.width, header.height)
        guard let size = recipe.options.size(ofWidth: width, height: height) else { return nil }
        return template.path(for: input, size: size, format: recipe.format(for: header))
    }

    private func exists(_ path: String) -> Bool { path != "-" && access(path, F_OK) == 0 }
}

/// Output files of one run. Each is written atomically and replaces neither an input nor another output of the run.
struct ThumbFiles {
    private let inputs: Set<FileIdentity>
    /// The input of each resolved output path: `x`, `./x` and a symbolic link to `x` have the same resolved path.
    private var reserved: [String: String] = [:]

    /// - Parameter inputs: Paths of all inputs of the run.
    init(inputs: [String]) { self.inputs = Set(inputs.compactMap { FileIdentity(path: $0) }) }

    /// Reserves an output path for one input, whether or not the output file exists.
    ///
    /// - Throws: `sameOutput` when another input has reserved the path.
    mutating func reserve(_ path: String, for input: String) throws(Failure) {
        if let failure = conflict(at: path) { throw failure }
        reserved[Self.canonicalPath(of: path)] = input
    }

    /// The failure of an input whose output path another input has reserved; otherwise `nil`.
    func conflict(at path: String) -> Failure? {
        reserved[Self.canonicalPath(of: path)].map {
            Failure(.usage, "sameOutput: \(path) is already the output of \($0)")
        }
    }

    /// Writes a thumbnail and creates the missing folders of its path.
    ///
    /// - Throws: ``Failure`` when `path` is an input or another output, or its file name is too long; ``OutputFailure``
    ///   for all other failed writes, which end the run.
    mutating func write(_ thumb: Thumb, of input: String, to path: String) throws {
        if path != "-" {
            // The path can be resolved only when its folder exists.
            Self.makeFolder(of: path)
            try reserve(path, for: input)
            if let identity = FileIdentity(path: path), inputs.contains(identity) {
                throw Failure(.usage, "sameOutput: \(path) would replace an input")
            }
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

    /// Absolute path without symbolic links; `path` unchanged when its folder does not exist, in which case writing
    /// fails later.
    private static func canonicalPath(of path: String) -> String {
        if let file = resolved(path) { return file }
        guard let folder = resolved(OutputTemplate.folder(of: path)) else { return path }
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        return "\(folder)/\(name)"
    }

    /// Creates missing folders; errors are ignored here and reported when the file is opened.
    private static func makeFolder(of path: String) {
        let folder = OutputTemplate.folder(of: path)
        var facts = stat()
        guard folder != ".", folder != "/", stat(folder, &facts) != 0 else { return }
        makeFolder(of: folder)
        mkdir(folder, 0o777)
    }
}
