/// A frame as a viewer shows it: the whole canvas after the frame was drawn.
public struct AnimationFrame: Sendable {
    /// Where the frame was drawn and how long it is shown.
    public let info: FrameInfo
    /// The whole canvas, upright and in sRGB if the options say so.
    public let bitmap: PlatformImage

    /// A frame of the whole canvas, shown for `delay`, to be encoded: for one that was decoded and then changed.
    ///
    /// - Parameters:
    ///   - bitmap: Of the canvas' size.
    ///   - delay: How long it is shown.
    ///   - index: From 0.
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
