/// The frames of an animation, decoded one at a time on demand.
///
/// Memory: the canvas, the returned bitmap, and a copy of the canvas while a frame uses
/// ``FrameInfo/Disposal/restorePrevious``. Not thread-safe: use it from one thread at a time. With
/// ``ImageDecoder/isolation``, the frames have a worker process of their own until this object is released.
public final class ImageFrames {
    private enum Source {
        case local(FrameComposer)
        case isolated(IsolatedFrames)
    }

    /// The file's header, with the number of frames.
    public let header: ImageHeader
    private let source: Source

    /// The damage found in the frames that were decoded.
    public var status: DecodeStatus {
        switch source {
        case .local(let composer): composer.status
        case .isolated(let frames): frames.status
        }
    }

    init(
        _ bytes: [UInt8], declared: ContentType?, decoder: ImageDecoder, flag: CancellationFlag?
    ) throws(DecodeError) {
        if let isolated = decoder.isolated(bytes.span, as: declared, flag) {
            let frames = try IsolatedFrames(isolated, bytes.span)
            header = frames.header
            source = .isolated(frames)
        } else {
            let composer = try FrameComposer(bytes, declared: declared, decoder: decoder, flag: flag)
            header = composer.header
            source = .local(composer)
        }
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
    public func advance() throws(DecodeError) -> FrameInfo? {
        switch source {
        case .local(let composer): try composer.advance()
        case .isolated(let frames): try frames.advance()
        }
    }

    /// Returns the current canvas: upright and in sRGB if the options request that.
    ///
    /// The canvas is transparent black before the first frame, and contains the last frame after the end of the
    /// animation. After a rejected frame (see ``status``), the canvas may contain some pixels of that frame.
    ///
    /// - Throws: `outOfMemory`, `cancelled`, or `limitExceeded` when the memory in use exceeds
    ///   ``DecodeLimits/maxMemory``; the animation can continue.
    public func composed() throws(DecodeError) -> PlatformImage {
        switch source {
        case .local(let composer): try composer.composed()
        case .isolated(let frames): try frames.composed()
        }
    }

    /// Returns only the pixels of the current frame, as stored: its rectangle without composition, orientation or
    /// colour conversion.
    ///
    /// Pixels that the frame does not contain are transparent black.
    ///
    /// - Returns: Nil before the first frame, for a frame without pixels (possible in GIF), and for formats other than
    ///   GIF, PNG and WebP.
    /// - Throws: `limitExceeded` when the memory in use exceeds ``DecodeLimits/maxMemory``; `outOfMemory`, `cancelled`;
    ///   the error of an undecodable frame. The animation can continue.
    public func raw() throws(DecodeError) -> PlatformImage? {
        switch source {
        case .local(let composer): try composer.raw()
        case .isolated(let frames): try frames.raw()
        }
    }
}
