/// The frames of an animation, decoded one at a time on demand.
///
/// Memory: the canvas, the returned bitmap, and a copy of the canvas while a frame uses
/// ``FrameInfo/Disposal/restorePrevious``. Not thread-safe: use it from one thread at a time. With
/// ``ImageDecoder/isolation``, the frames have a worker process of their own until this object is released.
public final class ImageFrames {
    /// The file's header, with the number of frames.
    public let header: ImageHeader
    private let source: any FrameSource

    /// The damage found in the frames that were decoded.
    public var status: DecodeStatus { source.status }

    init(_ source: any FrameSource) {
        self.source = source
        header = source.header
    }

    /// Returns the next composed frame; nil after the last frame, or when the remaining data is damaged (see
    /// ``status``).
    ///
    /// - Throws: `limitExceeded` when the frame exceeds ``DecodeLimits/maxFrames`` or ``DecodeLimits/maxTotalPixels``,
    ///   or the memory in use exceeds ``DecodeLimits/maxMemory``; `outOfMemory`, `cancelled`; the error of an
    ///   undecodable first frame; with strict options the damage that ended the animation.
    public func next() throws(DecodeError) -> AnimationFrame? {
        guard let info = try advance() else { return nil }
        return AnimationFrame(info: info, bitmap: try composed())
    }

    /// Composes the next frame without returning its pixels; ``composed()`` returns them.
    ///
    /// - Returns: The frame's description; nil after the last frame, or when the remaining data is damaged (see
    ///   ``status``).
    /// - Throws: The errors of ``next()``.
    public func advance() throws(DecodeError) -> FrameInfo? { try source.advance() }

    /// Returns the current canvas: upright and in sRGB if the options request that.
    ///
    /// The canvas is transparent black before the first frame, and contains the last frame after the end of the
    /// animation. After a rejected frame (see ``status``), the canvas may contain some pixels of that frame.
    ///
    /// - Throws: `outOfMemory`, `cancelled`, or `limitExceeded` when the memory in use exceeds
    ///   ``DecodeLimits/maxMemory``; the animation can continue.
    public func composed() throws(DecodeError) -> PlatformImage { try source.composed() }

    /// Returns only the pixels of the current frame, as stored: its rectangle without composition, orientation or
    /// colour conversion.
    ///
    /// Pixels that the frame does not contain are transparent black.
    ///
    /// - Returns: Nil before the first frame, for a frame without pixels (possible in GIF), and for formats other than
    ///   GIF, PNG and WebP.
    /// - Throws: `limitExceeded` when the memory in use exceeds ``DecodeLimits/maxMemory``; `outOfMemory`, `cancelled`;
    ///   the error of an undecodable frame. The animation can continue.
    public func raw() throws(DecodeError) -> PlatformImage? { try source.raw() }
}
