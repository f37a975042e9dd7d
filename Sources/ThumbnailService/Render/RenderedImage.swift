import PlatformImage
import PlatformImageLoader
import Synchronization

/// Result of a render: the response body and the properties that response fields and the log report.
struct RenderedImage: Sendable {
    let bytes: [UInt8]
    /// `image/jpeg`, `image/png`, `image/apng`, `image/webp`, `image/gif` or `application/json`.
    let contentType: String
    /// Image format; nil for metadata (`meta`).
    let format: EncodedFormat?
    /// Quality of a JPEG or WebP after the byte limit was applied; nil for other files.
    let quality: Int?
    /// Size of the result in pixels; for metadata, the size that the image would have.
    let width, height: Int
    /// Header of the source.
    let header: ImageHeader
    /// The plan that was executed.
    let plan: RenderPlan
    /// Completeness of the source's pixels. The result of a damaged source has the short lifetime `cache.negativeTTL`.
    var status = DecodeStatus.complete
    /// Number of frames in the result.
    var resultFrameCount = 1
    /// Format and size of each encoded file; empty for metadata.
    var attempts: [EncodedFile.Attempt] = []
    /// True when the format and the quality are those of a search for the smallest file, which depends on time.
    var isSearched = false
    /// Size of the metadata of the source that the result lacks because it is too large; 0 for none.
    var droppedMetadataBytes = 0
    /// Time from the start of the render until the image is resampled.
    var decodeDuration = Duration.zero
    /// Run time of filters and encoding.
    var renderDuration = Duration.zero

    /// Number of animation frames or pages; 1 when it is not known.
    var frameCount: Int { max(1, header.frameCount ?? 1) }
}

/// Stopwatch of the decode of one render. It excludes the time in the queue, and filters and encoding, whose cost
/// depends on the target and not on the source.
final class DecodeClock: Sendable {
    private let clock: @Sendable () -> WallTime
    private let state = Mutex<WallTime?>(nil)

    init(_ clock: @escaping @Sendable () -> WallTime) { self.clock = clock }

    func begin() {
        let now = clock()
        state.locked(in: self) { $0 = now }
    }

    func end() { state.locked(in: self) { $0 = nil } }

    /// Time since the decode began; nil unless a decode is running.
    var elapsed: Duration? {
        guard let begin = state.locked(in: self, { $0 }) else { return nil }
        return .milliseconds(clock() - begin)
    }
}
