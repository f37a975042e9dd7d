/// A request with pixels after its header was read, in a worker.
struct WorkerJob {
    /// Bytes between the pixels of two images in the output are at most this number.
    private static let alignment = 64

    private enum Prepared {
        case decode(PreparedDecode)
        case thumbnail(PreparedThumbnail)
        case thumbnails(ThumbnailBatch, isComplete: Bool)
        case thumbnailsByPlan([PreparedThumbnail])
    }

    private let prepared: Prepared
    private let decoder: ImageDecoder
    /// An upper estimate of the memory of the operation, as in a program without workers.
    let byteCount: Int
    /// Bytes of the output in the slab.
    let outputBytes: Int

    init(
        _ request: WorkerRequest, _ bytes: Span<UInt8>, decoder: ImageDecoder, flag: CancellationFlag?
    ) throws(DecodeError) {
        var decoder = decoder
        decoder.options = request.options
        self.decoder = decoder
        switch request.operation {
        case .decode:
            let decode = try decoder.prepare(bytes, as: request.contentType, cancellation: flag)
            prepared = .decode(decode)
            byteCount = decode.byteCount
            outputBytes = decode.width * decode.height * 4
        case .thumbnail(let options):
            let thumbnail = try PreparedThumbnail(
                bytes, declared: request.contentType, decoder: decoder, options: options, flag: flag)
            prepared = .thumbnail(thumbnail)
            byteCount = thumbnail.byteCount
            outputBytes = Self.outputBytes([thumbnail])
        case .thumbnails(let options, let isComplete):
            let batch = try ThumbnailBatch(
                bytes, declared: request.contentType, decoder: decoder, options: options, flag: flag)
            if isComplete, let error = batch.firstError { throw error }
            prepared = .thumbnails(batch, isComplete: isComplete)
            byteCount = batch.byteCount
            outputBytes = Self.outputBytes(batch.thumbnails)
        case .thumbnailsByPlan(let options):
            let thumbnails = try decoder.preparedByPlan(bytes, options: options, flag: flag)
            prepared = .thumbnailsByPlan(thumbnails)
            byteCount = thumbnails.reduce(0) { $0.addingClamped($1.byteCount) }
            outputBytes = Self.outputBytes(thumbnails)
        case .header, .iccProfile, .sourceProfile, .metadata, .preparedMetadata, .frameInfos, .thumbnailCost,
            .headerAndCost, .decodeCost, .frames:
            throw DecodeError(.internal, "the operation has no pixels")
        }
    }

    private static func outputBytes(_ thumbnails: [PreparedThumbnail]) -> Int {
        thumbnails.reduce(0) { $0.addingClamped(outputBytes(resultBytes: $1.resultByteCount)) }
    }

    /// Bytes of the output for an image that has at most `resultBytes`.
    static func outputBytes(resultBytes: Int) -> Int { resultBytes.addingClamped(alignment) }

    /// Makes the images and writes their pixels to `output`, which has ``outputBytes``.
    func result(_ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> WorkerResult {
        do throws(DecodeError) {
            switch prepared {
            case .decode(let decode): return try result(decode, bytes, into: &output)
            case .thumbnail(let thumbnail): return try result(thumbnail, bytes, into: &output)
            case .thumbnails(let batch, let isComplete):
                let made = try decoder.thumbnails(batch, bytes)
                if isComplete { _ = try made.images() }
                return Self.images(made.results, decodeCount: made.decodeCount, into: &output)
            case .thumbnailsByPlan(let thumbnails):
                if thumbnails.count == 1 { return try result(thumbnails[0], bytes, into: &output) }
                let (images, decodeCount) = try decoder.thumbnailsGroupedByPlan(thumbnails, bytes)
                return Self.images(images.map { .success($0) }, decodeCount: decodeCount, into: &output)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Decodes directly into the output.
    private func result(
        _ decode: PreparedDecode, _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(DecodeError) -> WorkerResult {
        var source = decode.source
        let (width, height) = (decode.width, decode.height)
        let transform = try source.transform(in: bytes, cache: decoder.transforms)
        try source.decode(
            bytes, onto: &output, stride: width * 4, width: width, height: height, orientation: decode.orientation,
            transform)
        try source.damage.throwIfExceeds(decoder.options.strictness, format: source.header.format)
        source.header.warnings = source.damage.warnings
        let image = WorkerResult.Image(
            place: WorkerImage(offset: 0, width: width, height: height), header: source.header,
            status: source.damage.status)
        return .images([image], [.success(0)], decodeCount: 1)
    }

    /// Makes one thumbnail, directly in the output when its pixels are not copied afterwards.
    private func result(
        _ thumbnail: PreparedThumbnail, _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(DecodeError) -> WorkerResult {
        guard thumbnail.isFinal else {
            return Self.images([.success(try decoder.thumbnail(thumbnail, bytes))], decodeCount: 1, into: &output)
        }
        let (width, height) = (thumbnail.request.width, thumbnail.request.height)
        let image = try PixelStorage.borrowing(&output, byteCount: width * height * 4) {
            (storage) throws(DecodeError) in
            let image = try decoder.thumbnail(thumbnail, bytes, into: storage)
            return WorkerResult.Image(
                place: WorkerImage(offset: 0, width: width, height: height), header: image.header,
                status: image.status)
        }
        return .images([image], [.success(0)], decodeCount: 1)
    }

    /// Copies images to the output; images that share their pixels are copied once.
    private static func images(
        _ results: [Result<DecodedImage, DecodeError>], decodeCount: Int, into output: inout MutableSpan<UInt8>
    ) -> WorkerResult {
        var images: [WorkerResult.Image] = []
        var positions: [Result<Int, DecodeError>] = []
        var known: [ObjectIdentifier: Int] = [:]
        var offset = 0
        for result in results {
            switch result {
            case .failure(let error): positions.append(.failure(error))
            case .success(let image):
                let storage = ObjectIdentifier(image.bitmap.storage)
                if let index = known[storage] {
                    positions.append(.success(index))
                    continue
                }
                let byteCount = image.bitmap.byteCount
                guard byteCount <= output.count - offset else {
                    positions.append(.failure(DecodeError(.internal, "the output has no room for the image")))
                    continue
                }
                copy(image.bitmap, to: &output, at: offset)
                known[storage] = images.count
                positions.append(.success(images.count))
                images.append(
                    WorkerResult.Image(
                        place: WorkerImage(offset: offset, width: image.bitmap.width, height: image.bitmap.height),
                        header: image.header, status: image.status))
                offset += (byteCount + alignment - 1) / alignment * alignment
            }
        }
        return .images(images, positions, decodeCount: decodeCount)
    }

    private static func copy(_ bitmap: Bitmap, to output: inout MutableSpan<UInt8>, at offset: Int) {
        bitmap.withBytes { RowKernels.copy($0, to: &output, at: offset) }
    }
}

extension WorkerJob {
    /// The result of an operation without pixels.
    static func result(
        of request: WorkerRequest, _ bytes: Span<UInt8>, decoder: ImageDecoder, flag: CancellationFlag?
    ) -> WorkerResult {
        var decoder = decoder
        decoder.options = request.options
        do throws(DecodeError) {
            switch request.operation {
            case .header: return .header(try decoder.header(of: bytes, as: request.contentType, cancellation: flag))
            case .iccProfile: return .iccProfile(try decoder.iccProfile(of: bytes))
            case .sourceProfile:
                let (source, profile) = try decoder.sourceProfile(of: bytes, as: request.contentType)
                return .sourceProfile(source, profile)
            case .metadata: return .metadata(try decoder.metadata(of: bytes, as: request.contentType))
            case .preparedMetadata(let wanted):
                return .preparedMetadata(
                    try decoder.preparedMetadata(of: bytes, as: request.contentType, for: wanted, cancellation: flag))
            case .frameInfos:
                return .frameInfos(try decoder.frameInfos(of: bytes, as: request.contentType, cancellation: flag))
            case .thumbnailCost(let options):
                return try cost(of: .thumbnail(options), request, bytes, decoder: decoder, flag: flag)
            case .headerAndCost(let options):
                let header = try decoder.header(of: bytes, as: request.contentType, cancellation: flag)
                let prepared = try? PreparedThumbnail(
                    bytes, declared: request.contentType, decoder: decoder, options: options, flag: flag)
                return .headerAndCost(
                    header,
                    cost: prepared.map {
                        let byteCount = $0.byteCount.addingClamped(outputBytes([$0]))
                        return WorkerResult.Cost(byteCount: byteCount, plan: ThumbnailPlan($0))
                    })
            case .decodeCost: return try cost(of: .decode, request, bytes, decoder: decoder, flag: flag)
            case .decode, .thumbnail, .thumbnails, .thumbnailsByPlan, .frames:
                return .failure(DecodeError(.internal, "the operation has pixels"))
            }
        } catch {
            return .failure(error)
        }
    }

    private static func cost(
        of operation: WorkerOperation, _ request: WorkerRequest, _ bytes: Span<UInt8>, decoder: ImageDecoder,
        flag: CancellationFlag?
    ) throws(DecodeError) -> WorkerResult {
        var request = request
        request.operation = operation
        let job = try WorkerJob(request, bytes, decoder: decoder, flag: flag)
        var plan: ThumbnailPlan?
        if case .thumbnail(let prepared) = job.prepared { plan = ThumbnailPlan(prepared) }
        return .cost(byteCount: job.byteCount.addingClamped(job.outputBytes), plan: plan)
    }

    /// The result of a step of an animation; pixels are written to the start of `output`.
    static func result(
        of step: FrameStep, _ composer: FrameComposer, into output: inout MutableSpan<UInt8>
    ) -> WorkerResult {
        do throws(DecodeError) {
            switch step {
            case .advance:
                let info = Result { () throws(DecodeError) in try composer.advance() }
                return .frame(info, composer.status)
            case .compose: return try pixels(of: composer.composed(), into: &output)
            case .raw: return try pixels(of: composer.raw(), into: &output)
            }
        } catch {
            return .failure(error)
        }
    }

    private static func pixels(
        of bitmap: Bitmap?, into output: inout MutableSpan<UInt8>
    ) throws(DecodeError) -> WorkerResult {
        guard let bitmap else { return .pixels(nil) }
        guard bitmap.byteCount <= output.count else {
            throw DecodeError(.internal, "the output has no room for the frame")
        }
        copy(bitmap, to: &output, at: 0)
        return .pixels(WorkerImage(offset: 0, width: bitmap.width, height: bitmap.height))
    }
}
