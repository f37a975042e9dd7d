import PlatformImage

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
        case made(Thumb)
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
            if skipsExisting, let output = template.path(for: input, size: nil, format: recipe.format), exists(output) {
                return .skipped(output: output)
            }
            let bytes = try readInput(input, limit: recipe.decoder.options.limits.maxInputBytes)
            return try withFailure {
                if skipsExisting, let output = try output(for: input, bytes), exists(output) {
                    return .skipped(output: output)
                }
                return .made(try recipe.make(bytes))
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

/// The files of a run: each appears when it is whole, none in the place of its input or of another one of the run.
struct ThumbFiles {
    private var written: Set<String> = []

    /// - Throws: A ``Failure`` that is about this file alone; an ``OutputFailure`` when writing failed.
    mutating func write(_ thumb: Thumb, of input: String, to path: String) throws {
        if path != "-" {
            guard written.insert(path).inserted else {
                throw Failure(.usage, "sameOutput: \(path) is the output of another input already")
            }
            guard !Self.isSameFile(input, path) else {
                throw Failure(.usage, "sameOutput: \(path) would replace its input")
            }
            Self.makeFolder(of: path)
        }
        let output = try Output(path: path)
        try output.write(thumb.file.span)
        try output.commit()
    }

    private static func isSameFile(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard first != "-", stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_mode & S_IFMT == S_IFREG
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
