#if Service
import PlatformImage
import PlatformImageLoader
import Synchronization

/// What a render gave: the bytes of the answer's body and what its head and the log say about them.
struct RenderedImage: Sendable {
    let bytes: [UInt8]
    /// `image/png`, `image/jpeg` or `application/json`.
    let contentType: String
    /// Nil for a description.
    let format: EncodedFormat?
    /// The quality of a JPEG, after a limit on bytes; nil for others.
    let quality: Int?
    /// Pixels of the result, of a description those that the picture would have.
    let width, height: Int
    /// What the source says.
    let header: ImageHeader
    /// What was done.
    let plan: RenderPlan
    /// How much of the source's pixels is true. A result of a damaged source must not be kept for long.
    var status = DecodeStatus.complete
    /// Until the resampled picture was there.
    var decodeDuration = Duration.zero
    /// For everything after that.
    var renderDuration = Duration.zero

    /// Frames of an animation or pages; 1 when the source does not say.
    var frameCount: Int { max(1, header.frameCount ?? 1) }
}

/// Time that the decode of one render has taken on its thread so far: without the wait before it, and without filters and
/// encoder, whose cost is the target's and not the source's.
final class DecodeClock: Sendable {
    private let clock: @Sendable () -> WallTime
    private let state = Mutex<WallTime?>(nil)

    init(_ clock: @escaping @Sendable () -> WallTime) { self.clock = clock }

    func begin() {
        let now = clock()
        state.locked(in: self) { $0 = now }
    }

    func end() { state.locked(in: self) { $0 = nil } }

    /// Nil unless a decode has begun and not ended.
    var elapsed: Duration? {
        guard let begin = state.locked(in: self, { $0 }) else { return nil }
        return .milliseconds(clock() - begin)
    }
}
#endif
