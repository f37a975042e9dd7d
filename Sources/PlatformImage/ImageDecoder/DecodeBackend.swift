/// The operations of an ``ImageDecoder`` on one file, at the place where its bytes are decoded.
///
/// ``ImageDecoder/backend(_:as:_:retaining:)`` decides on the place; nothing else does.
protocol DecodeBackend: Sendable {
    /// As ``ImageDecoder/header(of:as:cancellation:)``.
    func header(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageHeader
    /// The header without those values that need more of the file than the header, such as the number of frames.
    func shortHeader(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageHeader
    /// The header, and the cost of the thumbnail that is probably requested next; nil where computing it now saves
    /// nothing, or when the thumbnail cannot be made.
    func header(
        _ bytes: Span<UInt8>, expecting options: () -> ThumbnailOptions?
    ) throws(DecodeError) -> (header: ImageHeader, cost: KnownThumbnailCost?)
    func iccProfile(_ bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]?
    func sourceProfile(_ bytes: Span<UInt8>) throws(DecodeError) -> (source: ProfilePolicy.Source, profile: [UInt8]?)
    func metadata(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageMetadata
    func preparedMetadata(
        _ bytes: Span<UInt8>, _ request: PreparedMetadata.Request
    ) throws(DecodeError) -> PreparedMetadata
    func frameInfos(_ bytes: Span<UInt8>) throws(DecodeError) -> [FrameInfo]
    func frames(_ bytes: [UInt8]) throws(DecodeError) -> any FrameSource
    func decodeByteCount(_ bytes: Span<UInt8>) throws(DecodeError) -> Int
    func thumbnailCost(
        _ options: ThumbnailOptions, _ bytes: Span<UInt8>
    ) throws(DecodeError) -> (byteCount: Int, plan: ThumbnailPlan)
    /// Decodes into the caller's memory.
    func decode(
        _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, layout: PixelLayout, stride: Int?
    ) throws(DecodeError) -> DecodedBuffer
    func images(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> ThumbnailResults
    /// Reads the header; the returned value makes the images after their memory is reserved.
    func work(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> PreparedWork
}

/// An operation after its header was read: its memory is known, and no pixels are allocated.
struct PreparedWork: Sendable {
    /// Bytes to reserve for the operation; 0 when it makes no image.
    let byteCount: Int
    /// Makes the images; the bytes must be those whose header was read.
    let images: @Sendable (Span<UInt8>) throws(DecodeError) -> ThumbnailResults
}

extension LocalDecoder: DecodeBackend {
    func header(
        _ bytes: Span<UInt8>, expecting options: () -> ThumbnailOptions?
    ) throws(DecodeError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        (try header(bytes), nil)
    }

    func work(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> PreparedWork {
        let prepared = try prepare(operation, bytes)
        return PreparedWork(byteCount: prepared.byteCount) { (bytes) throws(DecodeError) in
            try images(prepared, bytes)
        }
    }
}

extension IsolatedDecoder: DecodeBackend {
    func shortHeader(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageHeader { try header(bytes) }

    func header(
        _ bytes: Span<UInt8>, expecting options: () -> ThumbnailOptions?
    ) throws(DecodeError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        guard let options = options() else { return (try header(bytes), nil) }
        return try header(bytes, expecting: options)
    }

    func work(_ operation: ImageOperation, _ bytes: Span<UInt8>) throws(DecodeError) -> PreparedWork {
        let measured = try measure(operation, bytes)
        let isEmpty = if case .thumbnails([], _) = operation { true } else { false }
        return PreparedWork(byteCount: isEmpty ? 0 : measured.byteCount) { (bytes) throws(DecodeError) in
            try images(measured, bytes)
        }
    }
}
