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
