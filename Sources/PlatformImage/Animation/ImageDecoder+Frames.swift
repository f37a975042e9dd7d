extension ImageDecoder {
    /// The frames of a GIF, APNG or WebP, fully composed, in order; any other image has one frame.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``. Damage in a frame appears in
    ///   ``ImageFrames/status`` when the frame is reached.
    public func frames(
        of bytes: [UInt8], as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        try ImageFrames(bytes, declared: contentType, decoder: self, flag: cancellation)
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
        if let isolated = isolated(bytes.span, as: contentType, cancellation) {
            return try isolated.frameInfos(bytes.span)
        }
        return try frameInfos(of: bytes.span, as: contentType, cancellation: cancellation)
    }

    /// Describes each frame, in this process.
    func frameInfos(
        of bytes: Span<UInt8>, as contentType: ContentType?, cancellation: CancellationFlag?
    ) throws(DecodeError) -> [FrameInfo] {
        let source = try SourceImage(bytes, declared: contentType, options: options, flag: cancellation)
        guard source.header.format.isAnimatable else { return [] }
        var frame = CodecFrame()
        var damage = Damage()
        return try Self.frameInfos(maxCount: options.limits.maxFrames ?? .max) { () throws(DecodeError) in
            try source.call.advance(&frame, in: bytes, damage: &damage) ? FrameInfo(frame) : nil
        }
    }

    /// Collects the results of `next` until it returns nil or throws because a frame is damaged or exceeds a limit.
    ///
    /// - Throws: The first error if no frame precedes it; at any frame the errors that do not depend on the file.
    static func frameInfos(
        maxCount: Int, next: () throws(DecodeError) -> FrameInfo?
    ) throws(DecodeError) -> [FrameInfo] {
        var infos: [FrameInfo] = []
        do throws(DecodeError) {
            while infos.count < maxCount, let info = try next() { infos.append(info) }
        } catch {
            // After these errors the list would be shorter than that of another call for the same file.
            let isTransient = [.cancelled, .outOfMemory, .internal].contains(error.code) || error.detail == "deadline"
            if isTransient || infos.isEmpty { throw error }
        }
        return infos
    }
}
