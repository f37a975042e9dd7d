import PlatformImage
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The thumbnails of one run of `thumb`: from a path to a file.
struct ThumbJob: Sendable {
    /// What came of reading and encoding one input; nothing is written yet.
    enum Outcome: Sendable {
        /// With what the input was before it was read; nil of stdin.
        case made(Thumb, FileFacts?)
        /// The output is there already.
        case skipped(output: String)
        case failed(Failure)
    }

    let recipe: ThumbRecipe
    let template: OutputTemplate
    let skipsExisting: Bool

    /// Reads and encodes; blocks until done.
    func outcome(of input: String) -> Outcome {
        do {
            guard template.keepsInside(input) else {
                throw Failure(.usage, "outsideOutput: {dir} has .. in it, which would lead out of the output's folder")
            }
            if skipsExisting, let output = template.path(for: input, size: nil, format: recipe.format), exists(output) {
                return .skipped(output: output)
            }
            // Before the bytes: what changes meanwhile is then made again.
            let facts = FileFacts(path: input)
            let bytes = try readInput(input, limit: recipe.decoder.options.limits.maxInputBytes)
            return try withFailure {
                if skipsExisting, let output = try output(for: input, bytes), exists(output) {
                    return .skipped(output: output)
                }
                return .made(try recipe.make(bytes), facts)
            }
        } catch let failure as Failure {
            return .failed(failure)
        } catch {
            return .failed(Failure(.software, "internal: \(error)"))
        }
    }

    /// Where a thumbnail goes.
    func output(for input: String, _ thumb: Thumb) -> String {
        // With size and format known there is a path for every template.
        template.path(for: input, size: (thumb.width, thumb.height), format: thumb.format) ?? template.text
    }

    /// Where the thumbnail will go, by the header alone; nil when the crop leaves nothing.
    private func output(for input: String, _ bytes: [UInt8]) throws(DecodeError) -> String? {
        let header = try recipe.decoder.header(of: bytes)
        let isTurned = recipe.decoder.options.appliesOrientation
        let (width, height) = isTurned ? (header.displayWidth, header.displayHeight) : (header.width, header.height)
        guard let size = recipe.options.size(ofWidth: width, height: height) else { return nil }
        return template.path(for: input, size: size, format: recipe.format(for: header.format))
    }

    private func exists(_ path: String) -> Bool { path != "-" && access(path, F_OK) == 0 }
}

/// The files of a run: each appears when it is whole, none in the place of an input or of another one of the run.
struct ThumbFiles {
    private let inputs: Set<FileIdentity>
    /// Where the outputs really are: `x`, `./x` and a link to it are one file.
    private var taken: Set<String> = []

    /// - Parameter inputs: All of the run.
    init(inputs: [String]) { self.inputs = Set(inputs.compactMap { FileIdentity(path: $0) }) }

    /// Gives an output to one input, whether it is written or left as it is.
    ///
    /// - Throws: `sameOutput` when another input has it.
    mutating func take(_ path: String) throws(Failure) {
        guard taken.insert(Self.place(of: path)).inserted else {
            throw Failure(.usage, "sameOutput: \(path) is the output of another input already")
        }
    }

    /// - Throws: A ``Failure`` that is about this file alone; an ``OutputFailure`` when writing failed.
    mutating func write(_ thumb: Thumb, to path: String) throws {
        if path != "-" {
            // Where the output lies is only known once its folder is there.
            Self.makeFolder(of: path)
            try take(path)
            if let there = FileIdentity(path: path), inputs.contains(there) {
                throw Failure(.usage, "sameOutput: \(path) would replace an input")
            }
        }
        do {
            let output = try Output(path: path)
            try output.write(thumb.file.span)
            try output.commit()
        } catch {
            guard error.isNameTooLong else { throw error }
            throw Failure(.ioError, "io: the name of the output is too long: \(path)")
        }
    }

    /// The path without links and detours; as it is when its folder is not there, in which nothing can be written.
    private static func place(of path: String) -> String {
        if let file = resolved(path) { return file }
        guard let folder = resolved(OutputTemplate.folder(of: path)) else { return path }
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        return "\(folder)/\(name)"
    }

    /// Makes the folders that are missing; one that cannot be made shows when the file is opened.
    private static func makeFolder(of path: String) {
        let folder = OutputTemplate.folder(of: path)
        var facts = stat()
        guard folder != ".", folder != "/", stat(folder, &facts) != 0 else { return }
        makeFolder(of: folder)
        mkdir(folder, 0o777)
    }
}
