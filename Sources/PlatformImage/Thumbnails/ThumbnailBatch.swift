/// Several thumbnails of one file after its header was read: the shared decode and the memory of the whole job are
/// computed, but no pixels are allocated.
///
/// All thumbnails share one decode with the ``ThumbnailPlan/finest(_:)`` of their plans. Exceptions: a thumbnail made
/// from an embedded thumbnail is decoded separately, one decode has at most ``CodecCall/maxOutputs`` results, and if
/// the results of one decode need more memory than permitted, each thumbnail is decoded separately, with its own plan.
struct ThumbnailBatch: Sendable {
    /// For each of the options: the position of its thumbnail in ``thumbnails``, or the error that prevents it.
    private(set) var positions: [Result<Int, DecodeError>] = []
    /// The different thumbnails.
    private(set) var thumbnails: [PreparedThumbnail] = []
    /// The decodes in their order, each with the positions of its results in ``thumbnails``.
    private(set) var decodes: [[Int]] = []
    /// An upper estimate, in bytes, of the peak memory of making all thumbnails, including their pixels; 0 without
    /// thumbnails.
    private(set) var byteCount = 0

    /// Reads the header and plans the decodes.
    init(_ bytes: Span<UInt8>, _ decoder: LocalDecoder, options all: [ThumbnailOptions]) throws(DecodeError) {
        var sources = try ThumbnailSources(bytes, decoder)
        try prepare(&sources, bytes, all)
        let separate = (self.positions, self.thumbnails)
        try share(&sources, bytes)
        var neededBytes = byteCount(of: decodes)
        if neededBytes ?? 0 > sources.maxBytes {
            for index in thumbnails.indices { try thumbnails[index].useLeastMemory(&sources, bytes) }
            neededBytes = byteCount(of: decodes)
        }
        if let neededBytes, neededBytes <= sources.maxBytes {
            byteCount = neededBytes
        } else {
            (positions, thumbnails) = separate
            decodeOneByOne(maxBytes: sources.maxBytes, limits: sources.full.call.options.limits)
        }
    }

    /// The error of the first option that has one before pixels are decoded; nil for none.
    var firstError: DecodeError? {
        for case .failure(let error) in positions { return error }
        return nil
    }

    /// Prepares a thumbnail for each different element of `all`, with its own plan.
    private mutating func prepare(
        _ sources: inout ThumbnailSources, _ bytes: Span<UInt8>, _ all: [ThumbnailOptions]
    ) throws(DecodeError) {
        var known: [ThumbnailOptions: Result<Int, DecodeError>] = [:]
        for options in all {
            if let position = known[options] {
                positions.append(position)
                continue
            }
            let position: Result<Int, DecodeError>
            do throws(DecodeError) {
                thumbnails.append(try PreparedThumbnail(&sources, bytes, options: options))
                position = .success(thumbnails.count - 1)
            } catch {
                if error.endsBatch { throw error }
                position = .failure(error)
            }
            known[options] = position
            positions.append(position)
        }
    }

    /// The properties that decide the pixels of a thumbnail with a given plan.
    private struct Pixels: Hashable {
        let request: ResampleRequest
        let geometry: ThumbnailGeometry
        let background: RGBA8?
    }

    /// Prepares the thumbnails again with the finest of their plans, and merges those with equal pixels.
    private mutating func share(_ sources: inout ThumbnailSources, _ bytes: Span<UInt8>) throws(DecodeError) {
        let shared = thumbnails.filter { $0.embedded == nil }
        guard let plan = ThumbnailPlan.finest(shared.map { ThumbnailPlan($0) }) else {
            decodes = thumbnails.indices.map { [$0] }
            return
        }
        var different: [PreparedThumbnail] = []
        var newPositions: [Result<Int, DecodeError>] = []
        var known: [Pixels: Int] = [:]
        var members: [Int] = []
        for prepared in thumbnails {
            guard prepared.embedded == nil else {
                decodes.append([different.count])
                newPositions.append(.success(different.count))
                different.append(prepared)
                continue
            }
            var planned = prepared
            if ThumbnailPlan(prepared) != plan {
                do throws(DecodeError) {
                    planned = try PreparedThumbnail(&sources, bytes, options: prepared.options, plan: plan)
                } catch {
                    if error.endsBatch { throw error }
                    // The finer decode alone exceeds a limit: no plan suits all.
                    decodes = []
                    return
                }
            }
            let pixels = Pixels(
                request: planned.request, geometry: planned.geometry, background: planned.options.background)
            if let position = known[pixels] {
                newPositions.append(.success(position))
                continue
            }
            known[pixels] = different.count
            newPositions.append(.success(different.count))
            members.append(different.count)
            different.append(planned)
        }
        positions = positions.map { $0.flatMap { newPositions[$0] } }
        thumbnails = different
        for start in stride(from: 0, to: members.count, by: CodecCall.maxOutputs) {
            decodes.append(Array(members[start..<min(members.count, start + CodecCall.maxOutputs)]))
        }
    }

    /// An upper estimate of the memory of the decodes, one after another, while all results remain in memory; nil when
    /// the decodes do not cover all thumbnails.
    private func byteCount(of decodes: [[Int]]) -> Int? {
        guard decodes.reduce(0, { $0 + $1.count }) == thumbnails.count else { return nil }
        var finishedBytes = 0
        var peak = 0
        for members in decodes {
            var decodeBytes = 0
            for (index, member) in members.enumerated() {
                let prepared = thumbnails[member]
                let own =
                    index == 0
                    ? prepared.byteCount
                    : prepared.pixelByteCount.addingClamped(RowResampler.byteCount(prepared.request))
                decodeBytes = decodeBytes.addingClamped(own)
            }
            peak = max(peak, finishedBytes.addingClamped(decodeBytes))
            finishedBytes = members.reduce(finishedBytes) { $0.addingClamped(thumbnails[$1].resultByteCount) }
        }
        return peak
    }

    /// Plans one decode for each thumbnail, and rejects a thumbnail that exceeds `maxBytes` together with the finished
    /// thumbnails before it.
    private mutating func decodeOneByOne(maxBytes: Int, limits: DecodeLimits) {
        let detail = maxBytes == limits.maxMemory ? "maxMemory" : "decodeBudget"
        decodes = []
        byteCount = 0
        var finishedBytes = 0
        for (index, prepared) in thumbnails.enumerated() {
            let needed = finishedBytes.addingClamped(prepared.byteCount)
            guard needed <= maxBytes else {
                let error = DecodeError(
                    .limitExceeded, format: prepared.header.format, detail: detail,
                    "the thumbnail and the \(decodes.count) thumbnails before it need \(needed) bytes of memory, "
                        + "the limit is \(maxBytes) bytes")
                positions = positions.map { position in
                    if case .success(index) = position { return .failure(error) }
                    return position
                }
                continue
            }
            decodes.append([index])
            byteCount = max(byteCount, needed)
            finishedBytes = finishedBytes.addingClamped(prepared.resultByteCount)
        }
    }
}

extension DecodeError {
    /// True when no further thumbnail can be made after this error, because it does not depend on the options.
    var endsBatch: Bool { code == .cancelled || code == .outOfMemory || detail == "deadline" }
}
