extension IsolatedDecoder {
    func header(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageHeader {
        switch try result(of: .header, bytes) {
        case .header(let header): return header
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    func iccProfile(_ bytes: Span<UInt8>) throws(DecodeError) -> [UInt8]? {
        switch try result(of: .iccProfile, bytes) {
        case .iccProfile(let profile): return profile
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    func sourceProfile(_ bytes: Span<UInt8>) throws(DecodeError) -> (source: ProfilePolicy.Source, profile: [UInt8]?) {
        switch try result(of: .sourceProfile, bytes) {
        case .sourceProfile(let source, let profile): return (source, profile)
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    func metadata(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageMetadata {
        switch try result(of: .metadata, bytes) {
        case .metadata(let metadata): return metadata
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    /// As ``ImageDecoder/preparedMetadata(of:as:for:cancellation:)-([UInt8],_,_,_)``.
    func preparedMetadata(
        _ bytes: Span<UInt8>, _ request: PreparedMetadata.Request
    ) throws(DecodeError) -> PreparedMetadata {
        switch try result(of: .preparedMetadata(request), bytes) {
        case .preparedMetadata(let prepared): return prepared
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    func frameInfos(_ bytes: Span<UInt8>) throws(DecodeError) -> [FrameInfo] {
        switch try result(of: .frameInfos, bytes) {
        case .frameInfos(let infos): return infos
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    /// As ``ImageDecoder/decodeByteCount(of:as:cancellation:)``, including the pixels in shared memory.
    func decodeByteCount(_ bytes: Span<UInt8>) throws(DecodeError) -> Int {
        switch try result(of: .decodeCost, bytes) {
        case .cost(let byteCount, _): return byteCount
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    /// As ``ImageDecoder/thumbnailCost(of:options:as:known:cancellation:)``, including the pixels in shared memory.
    func thumbnailCost(
        _ options: ThumbnailOptions, _ bytes: Span<UInt8>
    ) throws(DecodeError) -> (byteCount: Int, plan: ThumbnailPlan) {
        switch try result(of: .thumbnailCost(options), bytes) {
        case .cost(let byteCount, let plan?): return (byteCount, plan)
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    /// As ``ImageDecoder/header(of:expecting:cancellation:)``.
    func header(
        _ bytes: Span<UInt8>, expecting options: ThumbnailOptions
    ) throws(DecodeError) -> (header: ImageHeader, cost: KnownThumbnailCost?) {
        switch try result(of: .headerAndCost(options), bytes) {
        case .headerAndCost(let header, let cost):
            let known = cost.map {
                KnownThumbnailCost(
                    options: options, decodeOptions: self.options, byteCount: $0.byteCount, plan: $0.plan)
            }
            return (header, known)
        case .failure(let error): throw error
        default: throw mismatch
        }
    }

    /// Decodes into the caller's memory; the buffer is changed only on success.
    func decode(
        _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, layout: PixelLayout, stride: Int?
    ) throws(DecodeError) -> DecodedBuffer {
        let image = try images(.decode, bytes).first()
        let (width, height) = (image.bitmap.width, image.bitmap.height)
        let stride = try layout.checkedStride(
            stride, width: width, height: height, byteCount: buffer.count, "buffer")
        try image.bitmap.copyPixels(to: &buffer, layout: layout, stride: stride)
        return DecodedBuffer(
            width: width, height: height, bytesPerRow: stride, layout: layout, header: image.header,
            status: image.status)
    }

    private var mismatch: DecodeError { DecodeError(.internal, format: format, "the worker returned another result") }
}
