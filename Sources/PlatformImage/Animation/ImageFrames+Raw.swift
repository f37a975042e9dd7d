internal import CImageCodecs

extension ImageFrames {
    /// The pixels of the current frame alone, as stored: its own rectangle, not composed, turned or converted.
    ///
    /// What the frame leaves out is transparent black.
    ///
    /// - Returns: Nil before the first frame, for a frame without pixels (a GIF may hold some), and for a picture that
    ///   is no animation.
    /// - Throws: What ``next()`` throws for the frame; the animation goes on.
    public func raw() throws(DecodeError) -> PlatformImage? {
        guard isAnimated, frame.number > 0, frame.width > 0, frame.height > 0 else { return nil }
        var alone = frame
        alone.x = 0
        alone.y = 0
        alone.blend = UInt8(IMGC_BLEND_SOURCE)
        let (width, height) = (Int(frame.width), Int(frame.height))
        let storage = try allocate(byteCount: width * height * 4, zeroed: true)
        var damage = Damage()
        let bytes = bytes
        try source.frameCall.draw(alone, of: bytes.span, onto: storage, width: width, height: height, damage: &damage)
        return Bitmap(width: width, height: height, storage: storage)
    }
}

extension ImageDecoder {
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
        var frame = imgc_frame()
        var damage = Damage()
        do throws(DecodeError) {
            while infos.count < options.limits.maxFrames ?? Int.max,
                try source.frameCall.advance(&frame, in: bytes.span, damage: &damage)
            {
                infos.append(FrameInfo(frame))
            }
        } catch {
            if error.code == .cancelled || infos.isEmpty { throw error }
        }
        return infos
    }
}
