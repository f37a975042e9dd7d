extension LocalDecoder {
    /// The frames of an animation, composed in this process.
    func frames(_ bytes: [UInt8]) throws(DecodeError) -> any FrameSource { try FrameComposer(bytes, self) }

    /// As ``ImageDecoder/frameInfos(of:as:cancellation:)``.
    func frameInfos(_ bytes: Span<UInt8>) throws(DecodeError) -> [FrameInfo] {
        let source = try source(bytes)
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
