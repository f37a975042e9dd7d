extension ImageDecoder {
    /// The frames of a GIF, APNG or WebP, fully composed, in order; any other image has one frame.
    ///
    /// The frames are decoded after this call returns. So a file is read into memory, and closed before; bytes that are
    /// not in an array are copied.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)``. Damage in a frame appears in
    ///   ``ImageFrames/status`` when the frame is reached.
    public func frames(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        let (bytes, open) = try source.imageSource.array(options.limits, cancellation)
        let contentType = open.declaredType(contentType, bytes.span)
        return ImageFrames(try backend(bytes.span, as: contentType, cancellation).frames(bytes))
    }

    /// Describes each frame of a GIF, PNG or WebP, in order, without decoding pixels; empty for other formats. A PNG or
    /// WebP without animation has one frame.
    ///
    /// The list contains at most ``DecodeLimits/maxFrames`` frames. It ends where the file is damaged or a frame
    /// exceeds a limit.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)``; the error of the first frame when it
    ///   cannot be read; `cancelled`, `outOfMemory` and `limitExceeded` of a deadline at any frame.
    public func frameInfos(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [FrameInfo] {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.frameInfos(bytes)
        }
    }
}
