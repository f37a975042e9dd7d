/// An operation that makes images of one file.
enum ImageOperation: Hashable, Sendable {
    case decode
    case thumbnail(ThumbnailOptions)
    /// Several thumbnails of one decode. With `isComplete`, the first error is the error of all.
    case thumbnails([ThumbnailOptions], isComplete: Bool)
    /// Several thumbnails, with one decode for those of equal plans.
    case thumbnailsByPlan([ThumbnailOptions])
}

/// An operation after the header of its file was read: its memory is known, but no pixels are allocated.
enum PreparedImages: Sendable {
    case decode(PreparedDecode)
    case thumbnail(PreparedThumbnail)
    case thumbnails(ThumbnailBatch, isComplete: Bool)
    case thumbnailsByPlan([PreparedThumbnail])

    /// An upper estimate, in bytes, of the peak memory of the operation, including its pixels; 0 when it makes no
    /// image.
    var byteCount: Int {
        switch self {
        case .decode(let decode): decode.byteCount
        case .thumbnail(let thumbnail): thumbnail.byteCount
        case .thumbnails(let batch, _): batch.byteCount
        case .thumbnailsByPlan(let thumbnails): thumbnails.reduce(0) { $0.addingClamped($1.byteCount) }
        }
    }
}

extension LocalDecoder {
    /// The first step of an operation: reads the header and computes sizes, without allocating pixels.
    func prepare(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> PreparedImages {
        switch operation {
        case .decode: return .decode(try prepareDecode(bytes))
        case .thumbnail(let options): return .thumbnail(try PreparedThumbnail(bytes, self, options: options))
        case .thumbnails(let options, let isComplete):
            let batch = try ThumbnailBatch(bytes, self, options: options)
            if isComplete, let error = batch.firstError { throw error }
            return .thumbnails(batch, isComplete: isComplete)
        case .thumbnailsByPlan(let options): return .thumbnailsByPlan(try prepareByPlan(bytes, options))
        }
    }

    /// The second step of an operation: makes the images. `bytes` must be the bytes passed to the first step.
    func images(_ prepared: PreparedImages, _ bytes: Span<UInt8>) throws(DecodeError) -> ThumbnailResults {
        switch prepared {
        case .decode(let decode): ThumbnailResults(try self.decode(decode, bytes))
        case .thumbnail(let thumbnail): ThumbnailResults(try self.thumbnail(thumbnail, bytes))
        case .thumbnails(let batch, _): try thumbnails(batch, bytes)
        case .thumbnailsByPlan(let thumbnails): try thumbnailsByPlan(thumbnails, bytes)
        }
    }

    /// Both steps of an operation.
    func images(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> ThumbnailResults {
        try images(prepare(operation, bytes), bytes)
    }

    /// As ``ImageDecoder/thumbnailCost(of:options:as:known:cancellation:)``.
    func thumbnailCost(
        _ options: ThumbnailOptions, _ bytes: Span<UInt8>
    ) throws(DecodeError) -> (byteCount: Int, plan: ThumbnailPlan) {
        let prepared = try PreparedThumbnail(bytes, self, options: options)
        return (prepared.byteCount, ThumbnailPlan(prepared))
    }
}
