import PlatformImage

extension Renderer {
    /// A part of the source, resampled to the requested size.
    struct ResampledImage: Sendable {
        let bitmap: Bitmap
        /// Completeness of the pixels.
        let status: DecodeStatus
    }

    /// Decodes the images for several renders of one source with as few decodes as possible. Each result equals that of
    /// a separate render.
    ///
    /// - Parameters:
    ///   - all: Renders of one page, each with a ``PreparedRender/sharedPlan``.
    ///   - bytes: The source.
    ///   - cancellation: Cancels all renders.
    /// - Returns: An image or a failure for each render, and the number of decodes.
    func resampledImages(
        _ all: [PreparedRender], _ bytes: [UInt8], _ cancellation: CancellationFlag
    ) -> (images: [Result<ResampledImage, ServiceError>], decodeCount: Int) {
        guard let first = all.first else { return ([], 0) }
        guard all.count > 1 else { return ([resampledImage(first, bytes, cancellation)], 1) }
        do throws(DecodeError) {
            let (images, decodeCount) = try first.decoder.thumbnailsGroupedByPlan(
                of: bytes, options: all.map(\.thumbnailOptions), cancellation: cancellation)
            return (images.map { .success(ResampledImage(bitmap: $0.bitmap, status: $0.status)) }, decodeCount)
        } catch {
            // Memory that does not suffice for all images at once may suffice for one at a time.
            let isMemory = error.code == .outOfMemory || error.code == .limitExceeded && error.detail != "deadline"
            guard isMemory else { return (all.map { _ in .failure(ServiceError(error)) }, 1) }
            return (all.map { resampledImage($0, bytes, cancellation) }, all.count)
        }
    }

    private func resampledImage(
        _ prepared: PreparedRender, _ bytes: [UInt8], _ cancellation: CancellationFlag
    ) -> Result<ResampledImage, ServiceError> {
        do throws(DecodeError) {
            let plan = prepared.plan
            let (bitmap, status) = try prepared.decodeImage(
                plan.crop, plan.width, plan.height, of: bytes, decoded: nil, cancellation)
            return .success(ResampledImage(bitmap: bitmap, status: status))
        } catch {
            return .failure(ServiceError(error))
        }
    }
}
