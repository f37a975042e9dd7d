/// A request with pixels after its header was read, in a worker.
struct WorkerJob {
    /// Bytes between the pixels of two images in the output are at most this number.
    private static let alignment = 64

    private let prepared: PreparedImages
    private let decoder: LocalDecoder
    /// Bytes of the output in the slab.
    let outputBytes: Int

    init(_ operation: ImageOperation, _ bytes: Span<UInt8>, _ decoder: LocalDecoder) throws(DecodeError) {
        self.decoder = decoder
        prepared = try decoder.prepare(operation, bytes)
        outputBytes =
            switch prepared {
            case .decode(let decode): decode.width * decode.height * 4
            case .thumbnail(let thumbnail): Self.outputBytes([thumbnail])
            case .thumbnails(let batch, _): Self.outputBytes(batch.thumbnails)
            case .thumbnailsByPlan(let thumbnails): Self.outputBytes(thumbnails)
            }
    }

    /// An upper estimate of the memory of the operation, as in a program without workers.
    var byteCount: Int { prepared.byteCount }

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
                let made = try decoder.thumbnailsByPlan(thumbnails, bytes)
                return Self.images(made.results, decodeCount: made.decodeCount, into: &output)
            }
        } catch {
            return .failure(error)
        }
    }

    /// Decodes directly into the output.
    private func result(
        _ decode: PreparedDecode, _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(DecodeError) -> WorkerResult {
        let (width, height) = (decode.width, decode.height)
        let (header, status) = try decoder.decode(decode, bytes, onto: &output, stride: width * 4)
        let image = WorkerResult.Image(
            place: WorkerImage(offset: 0, width: width, height: height), header: header, status: status)
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
        of operation: WorkerOperation, _ bytes: Span<UInt8>, _ decoder: LocalDecoder
    ) -> WorkerResult {
        do throws(DecodeError) {
            switch operation {
            case .header: return .header(try decoder.header(bytes))
            case .iccProfile: return .iccProfile(try decoder.iccProfile(bytes))
            case .sourceProfile:
                let (source, profile) = try decoder.sourceProfile(bytes)
                return .sourceProfile(source, profile)
            case .metadata: return .metadata(try decoder.metadata(bytes))
            case .preparedMetadata(let request):
                return .preparedMetadata(try decoder.preparedMetadata(bytes, request))
            case .frameInfos: return .frameInfos(try decoder.frameInfos(bytes))
            case .thumbnailCost(let options): return try cost(of: .thumbnail(options), bytes, decoder)
            case .headerAndCost(let options):
                let header = try decoder.header(bytes)
                let prepared = try? PreparedThumbnail(bytes, decoder, options: options)
                return .headerAndCost(
                    header,
                    cost: prepared.map {
                        let byteCount = $0.byteCount.addingClamped(outputBytes([$0]))
                        return WorkerResult.Cost(byteCount: byteCount, plan: ThumbnailPlan($0))
                    })
            case .decodeCost: return try cost(of: .decode, bytes, decoder)
            case .images, .frames: return .failure(DecodeError(.internal, "the operation has pixels"))
            }
        } catch {
            return .failure(error)
        }
    }

    private static func cost(
        of operation: ImageOperation, _ bytes: Span<UInt8>, _ decoder: LocalDecoder
    ) throws(DecodeError) -> WorkerResult {
        let job = try WorkerJob(operation, bytes, decoder)
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
