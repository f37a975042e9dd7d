#if Service
import PlatformImage

extension Renderer {
    /// A part of the source in the size that was asked for.
    struct Picture: Sendable {
        let bitmap: Bitmap
        /// How much of its pixels is true.
        let status: DecodeStatus
    }

    /// The pictures of several renders of one source, each as it would be alone, from as few decodes as can be.
    ///
    /// - Parameters:
    ///   - all: Renders with a ``PreparedRender/sharedPlan`` and one page.
    ///   - bytes: The source.
    ///   - cancellation: Ends them all.
    /// - Returns: A picture or a failure for each, and how often the source was decoded.
    func pictures(
        _ all: [PreparedRender], _ bytes: [UInt8], _ cancellation: CancellationFlag
    ) -> (pictures: [Result<Picture, ServiceError>], decodeCount: Int) {
        guard let first = all.first else { return ([], 0) }
        guard all.count > 1 else { return ([picture(first, bytes, cancellation)], 1) }
        do throws(DecodeError) {
            let (images, decodeCount) = try first.decoder.thumbnails(
                of: bytes.span, options: all.map(\.thumbnailOptions), cancellation: cancellation)
            return (images.map { .success(Picture(bitmap: $0.bitmap, status: $0.status)) }, decodeCount)
        } catch {
            // Memory that is too little for all of them may be enough for one after the other.
            let isMemory = error.code == .outOfMemory || error.code == .limitExceeded && error.detail != "deadline"
            guard isMemory else { return (all.map { _ in .failure(ServiceError(error)) }, 1) }
            return (all.map { picture($0, bytes, cancellation) }, all.count)
        }
    }

    private func picture(
        _ prepared: PreparedRender, _ bytes: [UInt8], _ cancellation: CancellationFlag
    ) -> Result<Picture, ServiceError> {
        do throws(DecodeError) {
            let plan = prepared.plan
            let (bitmap, status) = try prepared.picture(
                plan.crop, plan.width, plan.height, of: bytes, decoded: nil, cancellation)
            return .success(Picture(bitmap: bitmap, status: status))
        } catch {
            return .failure(ServiceError(error))
        }
    }
}
#endif
