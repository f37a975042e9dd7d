extension LocalDecoder {
    /// Reads the header and plans each thumbnail for ``thumbnailsByPlan(_:_:)``.
    func prepareByPlan(
        _ bytes: Span<UInt8>, _ all: [ThumbnailOptions]
    ) throws(DecodeError) -> [PreparedThumbnail] {
        var sources = try ThumbnailSources(bytes, self)
        var prepared: [PreparedThumbnail] = []
        for options in all {
            prepared.append(try PreparedThumbnail(&sources, bytes, options: options))
        }
        return prepared
    }

    /// Decodes and resamples prepared thumbnails, those of equal plans with one decode.
    func thumbnailsByPlan(
        _ prepared: [PreparedThumbnail], _ bytes: Span<UInt8>
    ) throws(DecodeError) -> ThumbnailResults {
        var images = [DecodedImage?](repeating: nil, count: prepared.count)
        var decodeCount = 0
        for index in prepared.indices where images[index] == nil {
            let plan = ThumbnailPlan(prepared[index])
            let group = prepared.indices.filter { other in
                images[other] == nil && ThumbnailPlan(prepared[other]) == plan && prepared[other].embedded == nil
            }.prefix(CodecCall.maxOutputs)
            decodeCount += 1
            guard group.count > 1, prepared[index].embedded == nil else {
                images[index] = try thumbnail(prepared[index], bytes)
                continue
            }
            let groupImages = try thumbnails(group.map { prepared[$0] }, bytes)
            for (position, image) in zip(group, groupImages) { images[position] = image }
        }
        return ThumbnailResults(results: images.compactMap { $0.map { .success($0) } }, decodeCount: decodeCount)
    }

    /// Makes the thumbnails of `group`, which have equal plans, with one decode.
    func thumbnails(_ group: [PreparedThumbnail], _ bytes: Span<UInt8>) throws(DecodeError) -> [DecodedImage] {
        guard var source = group.first?.source else { return [] }
        let transform = try source.transform(in: bytes, cache: transforms)
        var outputs: [(request: ResampleRequest, storage: PixelStorage)] = []
        for prepared in group {
            let (width, height) = (prepared.request.width, prepared.request.height)
            outputs.append((prepared.request, try PixelStorage.uninitialized(width: width, height: height)))
        }
        try source.decode(bytes, resampledTo: outputs, transform)
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        var images: [DecodedImage] = []
        for (prepared, output) in zip(group, outputs) {
            images.append(try finish(prepared, output.storage, source.damage))
        }
        return images
    }

    /// Decodes and resamples prepared thumbnails. `bytes` must be the bytes from which `batch` was created.
    func thumbnails(_ batch: ThumbnailBatch, _ bytes: Span<UInt8>) throws(DecodeError) -> ThumbnailResults {
        var made: [Int: Result<DecodedImage, DecodeError>] = [:]
        for members in batch.decodes {
            do throws(DecodeError) {
                let group = members.map { batch.thumbnails[$0] }
                let images = group.count == 1 ? [try thumbnail(group[0], bytes)] : try thumbnails(group, bytes)
                for (member, image) in zip(members, images) { made[member] = .success(image) }
            } catch {
                if error.endsBatch { throw error }
                for member in members { made[member] = .failure(error) }
            }
        }
        let missing = DecodeError(.internal, "a thumbnail is part of no decode")
        return ThumbnailResults(
            results: batch.positions.map { $0.flatMap { made[$0] ?? .failure(missing) } },
            decodeCount: batch.decodes.count)
    }
}
