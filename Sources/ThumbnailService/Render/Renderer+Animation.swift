import PlatformImage

extension Renderer {
    /// Decodes, resamples and finishes all frames of an animated source, then encodes them.
    ///
    /// The region of the plan applies to every frame: a trim and a crop search use the first one.
    ///
    /// - Throws: `notAnImage` when the first frame cannot be decoded, `limit`, `deadline`, `overloaded`.
    func renderAnimation(
        _ prepared: PreparedRender, _ plan: RenderPlan, as format: NegotiatedFormat, _ bytes: [UInt8],
        decode: DecodeClock?, cancellation: CancellationFlag?
    ) throws(ServiceError) -> RenderedImage {
        let start = ContinuousClock.now
        let (frames, status) = try translating { () throws(DecodeError) in
            try prepared.decodeFrames(plan, of: bytes, cancellation)
        }
        let decoded = ContinuousClock.now
        decode?.end()
        guard let first = frames.first?.bitmap else { throw ServiceError(.notAnImage, "the animation has no frame") }
        let output = prepared.request.output
        do throws(EncodeError) {
            var encoding = encoding.adding(prepared.metadata)
            encoding.comparesLosslessWebP = comparesLosslessWebP(prepared, plan)
            let file = try encoding.animation(
                of: frames, as: format, quality: output.quality, loopCount: prepared.header.loopCount ?? 1,
                cancellation: cancellation)
            // An APNG has the type by which clients accept it.
            let contentType = format == .apng ? "image/apng" : file.format.contentType.description
            var result = RenderedImage(
                bytes: file.bytes, contentType: contentType, format: file.format, quality: file.quality,
                width: first.width, height: first.height, header: prepared.header, plan: plan, status: status)
            result.resultFrameCount = frames.count
            result.attempts = file.attempts
            result.droppedMetadataBytes = prepared.metadata.droppedByteCount
            result.decodeDuration = decoded - start
            result.renderDuration = decoded.duration(to: .now)
            return result
        } catch {
            throw ServiceError(error)
        }
    }
}

extension PreparedRender {
    /// Decodes all frames, resamples each one to the size of the plan, and applies its flips and steps.
    fileprivate func decodeFrames(
        _ plan: RenderPlan, of bytes: [UInt8], _ cancellation: CancellationFlag?
    ) throws(DecodeError) -> (frames: [AnimationFrame], status: DecodeStatus) {
        let options = options(for: plan)
        let limits = decoder.options.limits
        let frames = try decoder.frames(of: bytes, cancellation: cancellation)
        var finished: [AnimationFrame] = []
        // The memory of the render was reserved for the counted frames.
        while let frame = try frames.next(), finished.count < header.frameCount ?? 1 {
            try cancellation?.poll()
            let small = try frame.bitmap.thumbnail(options: options, limits: limits, cancellation: cancellation)
            let bitmap = try small.finished(by: plan, cancellation: cancellation)
            finished.append(AnimationFrame(bitmap, delay: frame.info.delay, index: finished.count))
        }
        return (finished, frames.status)
    }
}
