extension ImageDecoder {
    /// The frames of a GIF or APNG, fully composed, in order; any other image has one frame.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``. Damage in a frame appears in
    ///   ``ImageFrames/status`` when the frame is reached.
    public func frames(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        try ImageFrames(bytes, declared: contentType, decoder: self, flag: cancellation)
    }

    /// Describes each frame of a GIF or PNG, in order, without decoding pixels; empty for other formats. A PNG without
    /// animation has one frame.
    ///
    /// The list contains at most ``DecodeLimits/maxFrames`` frames. It ends where the file is damaged or a frame
    /// exceeds a limit.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``; the error of the first frame when it
    ///   cannot be read.
    public func frameInfos(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [FrameInfo] {
        let source = try SourceImage(bytes.span, declared: contentType, options: options, flag: cancellation)
        guard source.header.format == .gif || source.header.format == .png else { return [] }
        var infos: [FrameInfo] = []
        var frame = CodecFrame()
        var damage = Damage()
        do throws(DecodeError) {
            while infos.count < options.limits.maxFrames ?? Int.max,
                try source.call.advance(&frame, in: bytes.span, damage: &damage)
            {
                infos.append(FrameInfo(frame))
            }
        } catch {
            if error.code == .cancelled || infos.isEmpty { throw error }
        }
        return infos
    }
}
