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

    /// As ``ImageDecoder/preparedMetadata(of:as:for:cancellation:)``.
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
        try images(.decode, bytes).first().copied(to: &buffer, layout: layout, stride: stride)
    }

    /// The frames of an animation, in a worker process of their own.
    func frames(_ bytes: [UInt8]) throws(DecodeError) -> any FrameSource { try IsolatedFrames(self, bytes.span) }

    private var mismatch: DecodeError { DecodeError(.internal, format: format, "the worker returned another result") }
}

/// Comparisons of results with their request.
///
/// The messages of a compromised worker can have any values that the protocol allows; a value that no correct worker
/// returns for this file and this request ends the worker.
extension IsolatedDecoder {
    /// Checks the values of a result without pixels.
    ///
    /// - Returns: The result, with the error of a worker without memory converted.
    func checked(_ result: WorkerResult) throws(WorkerProcess.Failure) -> WorkerResult {
        let isValid: Bool
        switch result {
        case .failure(let error): return .failure(converted(error))
        case .header(let header), .headerAndCost(let header, _): isValid = isPlausible(header)
        case .iccProfile(let profile), .sourceProfile(_, let profile):
            isValid = profile?.count ?? 0 <= options.limits.maxMetadataItem ?? .max
        case .metadata(let metadata): isValid = isWithinLimits(metadata)
        case .preparedMetadata(let prepared): isValid = isAllowed(prepared)
        case .frameInfos(let infos):
            isValid =
                infos.count <= options.limits.maxFrames ?? .max
                && infos.enumerated().allSatisfy { isPlausible($0.element, index: $0.offset) }
        case .cost: isValid = true
        case .images, .frames, .frame, .pixels: isValid = false
        }
        guard isValid else { throw .violatedProtocol }
        return result
    }

    /// False for a header that a correct worker would have rejected.
    func isPlausible(_ header: ImageHeader) -> Bool {
        let (pixels, overflows) = header.width.multipliedReportingOverflow(by: header.height)
        return header.format == format && !overflows
            && max(header.width, header.height) <= options.limits.maxSide ?? .max
            && pixels <= options.limits.maxPixels ?? .max
            && header.iccProfileByteCount <= options.limits.maxMetadataItem ?? .max
    }

    /// False for a frame that the format cannot contain at this place of the animation.
    ///
    /// The first frame has the index 0. GIF has delays in hundredths of a second with 16 bits, WebP in thousandths with
    /// 24 bits, and APNG fractions of two numbers with 16 bits.
    func isPlausible(_ info: FrameInfo, index: Int) -> Bool {
        let (pixels, overflows) = info.width.multipliedReportingOverflow(by: info.height)
        return info.index == index && index < options.limits.maxFrames ?? .max
            && info.delay.numerator >= 0 && info.delay.numerator <= format.maxFrameDelay
            && (1...Int(UInt16.max)).contains(info.delay.denominator) && !overflows
            && pixels <= options.limits.maxPixels ?? .max
    }

    /// True when an image has the size that the file's header and the request give.
    ///
    /// - Parameter position: The position of the image in the request.
    func isRequested(_ image: WorkerResult.Image, at position: Int, of operation: ImageOperation) -> Bool {
        if case .truncated(let rows) = image.status, rows > image.header.height { return false }
        let all: [ThumbnailOptions]
        switch operation {
        case .decode: return isUpright(image.place, of: image.header)
        case .thumbnail(let options): all = [options]
        case .thumbnails(let options, _), .thumbnailsByPlan(let options): all = options
        }
        guard all.indices.contains(position) else { return false }
        let requested = all[position]  // trap-free: compared before
        let (width, height) = uprightSize(of: image.header)
        do throws(DecodeError) {
            let geometry = try ThumbnailGeometry(
                sourceWidth: width, sourceHeight: height, limits: options.limits, options: requested)
            return image.place.width == geometry.boxWidth && image.place.height == geometry.boxHeight
        } catch {
            return false
        }
    }

    /// True for an image that has the size of a file with this header, upright if the options request that.
    func isUpright(_ place: WorkerImage, of header: ImageHeader) -> Bool {
        (place.width, place.height) == uprightSize(of: header)
    }

    private func uprightSize(of header: ImageHeader) -> (width: Int, height: Int) {
        options.appliesOrientation ? (header.displayWidth, header.displayHeight) : (header.width, header.height)
    }

    /// False for blocks that the policy or the format of the source excludes.
    private func isAllowed(_ prepared: PreparedMetadata) -> Bool {
        let metadata = prepared.metadata
        if prepared.request.policy == .strip || format == .gif || format == .bmp { return prepared.byteCount == 0 }
        // A JPEG has a part of EXIF at most; a WebP has EXIF, or credits of IPTC.
        return (metadata.exif != nil || prepared.jpegEXIF == nil)
            && (metadata.exif != nil || metadata.iptc != nil || prepared.webPEXIF == nil)
    }

    private func isWithinLimits(_ metadata: ImageMetadata) -> Bool {
        var limits = MetadataLimits(options.limits)
        // The limits also accept no empty block, which a correct worker does not return either.
        return [metadata.exif, metadata.xmp, metadata.iptc].allSatisfy { $0 == nil || limits.accept($0) != nil }
    }
}
