extension ImageDecoder {
    /// The frames of a GIF or APNG, fully composed, one after the other; any other picture is one frame.
    ///
    /// - Throws: What reading the header throws. Damage in a frame shows in ``ImageFrames/status`` when it is reached.
    public func frames(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        try ImageFrames(bytes, declared: contentType, decoder: self, flag: cancellation)
    }

    /// What each frame of a GIF or APNG is, in order, without decoding pixels; empty for any other picture.
    ///
    /// At most ``DecodeLimits/maxFrames`` frames are listed. Where the file is damaged the list ends.
    ///
    /// - Throws: What reading the header throws, and `cancelled`.
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
