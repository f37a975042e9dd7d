/// One frame of an animation before its pixels: where it goes, how long it stays, what follows.
public struct FrameInfo: Hashable, Sendable {
    /// What happens to the frame's area before the next frame is drawn.
    public enum Disposal: Sendable { case keep, clear, restorePrevious }
    /// How the frame's pixels meet those of the canvas.
    public enum Blend: Sendable { case source, over }

    /// From 0.
    public let index: Int
    /// The frame's rectangle on the canvas in pixels, as stored; in a GIF it may lie outside, or be empty.
    public let x: Int
    public let y: Int
    public let width: Int
    public let height: Int
    public let delay: FrameDelay
    public let disposal: Disposal
    public let blend: Blend
}

/// How long a frame is shown, in seconds, as the file stores it: GIF in hundredths, APNG as any fraction.
public struct FrameDelay: Hashable, Sendable {
    public let numerator: Int
    /// Never 0: an APNG's 0 means 100.
    public let denominator: Int

    /// What browsers show: 10 ms and less act as 100 ms.
    public var displayed: Duration {
        let milliseconds = numerator * 1000 / denominator
        return milliseconds <= 10 ? .milliseconds(100) : .milliseconds(milliseconds)
    }
}

/// A frame as a viewer shows it: the whole canvas after the frame was drawn.
public struct AnimationFrame: Sendable {
    public let info: FrameInfo
    public let bitmap: PlatformImage
}
