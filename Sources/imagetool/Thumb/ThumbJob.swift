import PlatformImage
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Recipes and output template of one run of `thumb` or `convert`; reads, decodes and encodes single inputs.
struct ThumbJob: Sendable {
    /// Reason why an output is not written.
    enum SkipReason: String, Sendable {
        /// The manifest contains the output, and nothing has changed.
        case unchanged = "done in an earlier run"
        case exists = "output exists"
        /// Another size of the same input has the same path and the same content.
        case sameImage = "same as another size"
    }

    /// Result of reading and encoding one input for one recipe; nothing is written yet.
    enum JobResult: Sendable {
        /// The thumbnail for the recipe of an index, and the file attributes of the input, read before its content;
        /// `nil` for stdin.
        case created(Thumb, FileFacts?, recipe: Int)
        /// The file that would be written, with `--dry-run`.
        case planned(PlannedThumb)
        /// The output is not written again.
        case skipped(output: String, SkipReason)
        case failed(Failure)
    }

    /// Recipes that differ only in their size; at least one.
    let recipes: [ThumbRecipe]
    let template: OutputTemplate
    let skipsExisting: Bool
    /// Reads only headers and writes nothing.
    let isDryRun: Bool

    /// Maximum size of an input in bytes; `nil` for no limit.
    private var maxInputBytes: Int? { recipes[0].decoder.options.limits.maxInputBytes }

    /// Reads and decodes an input once, and encodes it for each recipe; blocks until done.
    ///
    /// - Parameter finished: For each recipe the output of an earlier run, which is not made again, or `nil`.
    /// - Returns: One result for each recipe, or one failure when the input cannot be processed.
    func results(of input: String, finished: [String?]) -> [JobResult] {
        do {
            return try convertingDecodeError { try allResults(of: input, finished) }
        } catch let failure as Failure {
            return [.failed(failure)]
        } catch {
            return [.failed(Failure(.software, "internal: \(error)"))]
        }
    }

    private func allResults(of input: String, _ finished: [String?]) throws -> [JobResult] {
        var results: [JobResult?] = finished.map { $0.map { .skipped(output: $0, .unchanged) } }
        var open: [Int] { results.indices.filter { results[$0] == nil } }
        guard template.staysInsideFolder(input) else {
            throw Failure(.usage, "outsideOutput: {dir} contains .., so the file would be outside the output folder")
        }
        if skipsExisting {
            for index in open {
                guard let output = path(for: input, index, size: nil, format: recipes[index].format), exists(output)
                else { continue }
                results[index] = .skipped(output: output, .exists)
            }
        }
        guard !open.isEmpty else { return results.compactMap(\.self) }
        // Read the attributes before the bytes: an input that changes in between is processed again by the next run.
        let facts = FileFacts(path: input)
        let bytes = try readInput(input, limit: maxInputBytes)
        if skipsExisting || isDryRun {
            for index in open {
                let (header, format, size) = try recipes[index].planned(bytes)
                guard let size else {
                    if isDryRun { throw Failure(.dataError, "emptyCrop: the crop contains no pixel of the image") }
                    continue
                }
                guard let output = path(for: input, index, size: size, format: format) else { continue }
                if skipsExisting, exists(output) {
                    results[index] = .skipped(output: output, .exists)
                } else if isDryRun {
                    results[index] = .planned(
                        PlannedThumb(
                            output: output, format: format, width: size.width, height: size.height, header: header))
                }
            }
        }
        let missing = open
        guard !missing.isEmpty else { return results.compactMap(\.self) }
        let thumbs = try ThumbRecipe.makeThumbnails(missing.map { recipes[$0] }, bytes)
        for (index, thumb) in zip(missing, thumbs) {
            switch thumb {
            case .success(let thumb): results[index] = .created(thumb, facts, recipe: index)
            case .failure(let failure): results[index] = .failed(failure)
            }
        }
        return results.compactMap(\.self)
    }

    /// Output path of a thumbnail.
    func output(for input: String, _ thumb: Thumb, recipe: Int) -> String {
        // The path is `nil` only for a missing size or format, and both are passed here.
        path(for: input, recipe, size: (thumb.width, thumb.height), format: thumb.format) ?? template.text
    }

    /// Output paths of an input that do not depend on the image.
    func knownOutputs(for input: String) -> [String] {
        recipes.indices.compactMap { index in
            let output = path(for: input, index, size: nil, format: recipes[index].format)
            return output == "-" ? nil : output
        }
    }

    private func path(
        for input: String, _ recipe: Int, size: (width: Int, height: Int)?, format: EncodedFormat?
    ) -> String? {
        template.path(for: input, size: size, format: format, sizeText: recipes[recipe].sizeText)
    }

    private func exists(_ path: String) -> Bool { path != "-" && access(path.cPath, F_OK) == 0 }
}

/// A file that `--dry-run` does not write.
struct PlannedThumb: Sendable {
    let output: String
    let format: EncodedFormat
    /// Width in pixels.
    let width: Int
    let height: Int
    /// Header of the source file.
    let header: ImageHeader
}
