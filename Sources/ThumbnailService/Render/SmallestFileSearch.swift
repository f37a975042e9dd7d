import PlatformImage

/// Search for the smallest file of a bitmap among several formats at equal measured quality.
///
/// The measure is ``BlockSimilarity`` between the bitmap and the decoded file. The file that would be sent without a
/// search determines the target: another file is used only when it is smaller and its similarity is at least as high. A
/// PNG is an exact copy, so only lossless files can replace it.
///
/// Before each encode, the search ends when the elapsed time and the longest step so far exceed the budget. The result
/// therefore depends on the load of the machine; its format and quality are part of the entity tag.
struct SmallestFileSearch {
    let encoding: ResultEncoding
    /// Formats to try; those of the first file are skipped.
    let candidates: Set<NegotiatedFormat>
    let budget: Duration
    /// Time since the start of the first encode.
    let elapsed: () -> Duration
    /// Decodes the files for the measurement, in the colour space of the bitmap.
    let decoder: ImageDecoder

    /// The highest quality that the search tries.
    static let highestQuality = 95
    /// Maximum number of encodes of one lossy format.
    static let maxEncodes = 4

    /// Returns the smallest file.
    ///
    /// - Parameters:
    ///   - first: The file that is sent unless a smaller one is found; it was encoded from `bitmap`.
    ///   - isOpaque: True when all pixels are opaque; JPEG is tried only then.
    /// - Throws: The errors of encoders; `deadline` when cancelled.
    func smallestFile(
        _ first: EncodedFile, of bitmap: Bitmap, isOpaque: Bool, cancellation: CancellationFlag?
    ) throws(ServiceError) -> EncodedFile {
        var state = State(file: first, longestStep: elapsed())
        let isLossless = first.format == .png
        if !isLossless {
            guard let target = try similarity(of: first.bytes, to: bitmap, cancellation) else { return first }
            state.target = target
        }
        for format in [EncodedFormat.webp, .jpeg, .png] where format != first.format && isCandidate(format) {
            if format == .jpeg, isLossless || !isOpaque { continue }
            if format == .png || isLossless {
                try tryLossless(format, bitmap, &state, cancellation)
            } else {
                try tryQualities(format, bitmap, &state, cancellation)
            }
        }
        return state.file
    }

    private struct State {
        var file: EncodedFile
        /// Duration of the longest encode with its measurement.
        var longestStep: Duration
        /// Similarity that a lossy file must reach.
        var target = 1.0
    }

    private func isCandidate(_ format: EncodedFormat) -> Bool {
        candidates.contains { $0.encoded == format && $0 != .apng }
    }

    private func tryLossless(
        _ format: EncodedFormat, _ bitmap: Bitmap, _ state: inout State, _ cancellation: CancellationFlag?
    ) throws(ServiceError) {
        guard hasTime(state) else { return }
        let start = elapsed()
        let bytes = try encode(bitmap, format, quality: nil, isLossless: true, cancellation)
        if bytes.count < state.file.bytes.count {
            state.file.replace(with: bytes, format, quality: nil)
        } else {
            state.file.count(bytes, format)
        }
        state.longestStep = max(state.longestStep, elapsed() - start)
    }

    /// Searches for the lowest quality that reaches the target. A file that is not smaller than the best one needs no
    /// measurement: every higher quality is larger too.
    private func tryQualities(
        _ format: EncodedFormat, _ bitmap: Bitmap, _ state: inout State, _ cancellation: CancellationFlag?
    ) throws(ServiceError) {
        var (lowest, highest) = (ResultEncoding.lowestQuality, Self.highestQuality)
        var quality = min(max(state.file.quality ?? 80, lowest), highest)
        for _ in 0..<Self.maxEncodes where lowest <= highest {
            guard hasTime(state) else { return }
            let start = elapsed()
            let bytes = try encode(bitmap, format, quality: quality, cancellation)
            if bytes.count >= state.file.bytes.count {
                state.file.count(bytes, format)
                highest = quality - 1
            } else if try similarity(of: bytes, to: bitmap, cancellation) ?? 0 >= state.target {
                state.file.replace(with: bytes, format, quality: quality)
                highest = quality - 1
            } else {
                state.file.count(bytes, format)
                lowest = quality + 1
            }
            quality = (lowest + highest) / 2
            state.longestStep = max(state.longestStep, elapsed() - start)
        }
    }

    private func hasTime(_ state: State) -> Bool { elapsed() + state.longestStep <= budget }

    private func encode(
        _ bitmap: Bitmap, _ format: EncodedFormat, quality: Int?, isLossless: Bool = false,
        _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> [UInt8] {
        do throws(EncodeError) {
            return try encoding.encode(bitmap, format, quality: quality, isLossless: isLossless, cancellation)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Returns the similarity of a file; nil when it cannot be decoded.
    ///
    /// - Throws: `deadline` when cancelled.
    private func similarity(
        of file: [UInt8], to bitmap: Bitmap, _ cancellation: CancellationFlag?
    ) throws(ServiceError) -> Double? {
        do throws(DecodeError) {
            return BlockSimilarity.mean(bitmap, try decoder.decode(file, cancellation: cancellation).bitmap)
        } catch {
            let failure = ServiceError(error)
            if failure.reason == .deadline { throw failure }
            return nil
        }
    }
}
