/// A composed animation frame: the complete canvas after the frame was drawn.
public struct AnimationFrame: Sendable {
    /// The frame's position, size, delay, disposal and blend mode.
    public let info: FrameInfo
    /// The complete canvas, upright and in sRGB if the options request that.
    public let bitmap: PlatformImage

    /// Creates a frame for encoding that covers the complete canvas, for example from a modified bitmap.
    ///
    /// - Parameters:
    ///   - bitmap: Pixels of the canvas size.
    ///   - delay: The display duration.
    ///   - index: The frame number, from 0.
    public init(_ bitmap: PlatformImage, delay: FrameDelay, index: Int = 0) {
        let info = FrameInfo(
            index: index, x: 0, y: 0, width: bitmap.width, height: bitmap.height, delay: delay, disposal: .keep,
            blend: .source)
        self.init(info: info, bitmap: bitmap)
    }

    init(info: FrameInfo, bitmap: PlatformImage) {
        self.info = info
        self.bitmap = bitmap
    }
}
