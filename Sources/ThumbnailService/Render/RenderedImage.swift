#if Service
import PlatformImage

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
#endif
