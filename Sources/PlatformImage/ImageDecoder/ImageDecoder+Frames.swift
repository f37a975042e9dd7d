extension ImageDecoder {
    /// The frames of a GIF, APNG or WebP, fully composed, in order; any other image has one frame.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``. Damage in a frame appears in
    ///   ``ImageFrames/status`` when the frame is reached.
    public func frames(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        ImageFrames(try backend(bytes.span, as: contentType, cancellation).frames(bytes))
    }

    /// Describes each frame of a GIF, PNG or WebP, in order, without decoding pixels; empty for other formats. A PNG or
    /// WebP without animation has one frame.
    ///
    /// The list contains at most ``DecodeLimits/maxFrames`` frames. It ends where the file is damaged or a frame
    /// exceeds a limit.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``; the error of the first frame when it
    ///   cannot be read; `cancelled`, `outOfMemory` and `limitExceeded` of a deadline at any frame.
    public func frameInfos(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [FrameInfo] {
        try backend(bytes.span, as: contentType, cancellation).frameInfos(bytes.span)
    }
}
