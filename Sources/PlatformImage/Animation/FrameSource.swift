/// The frames of an animation, made in this process (``FrameComposer``) or in a worker process (``IsolatedFrames``).
///
/// The members are those of ``ImageFrames``.
protocol FrameSource: AnyObject {
    /// The file's header, with the number of frames.
    var header: ImageHeader { get }
    /// The damage found in the frames that were decoded.
    var status: DecodeStatus { get }

    /// As ``ImageFrames/advance()``.
    func advance() throws(DecodeError) -> FrameInfo?
    /// As ``ImageFrames/composed()``.
    func composed() throws(DecodeError) -> Bitmap
    /// As ``ImageFrames/raw()``.
    func raw() throws(DecodeError) -> Bitmap?
}
