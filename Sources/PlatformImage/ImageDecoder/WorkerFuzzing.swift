#if FUZZING
internal import CPlatformImageSandbox

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Entry points of `Fuzz/run worker`: the program's side of the protocol against a hostile worker.
///
/// Only builds with the flag FUZZING contain this type, because the fuzz package sees only public declarations.
public enum WorkerFuzzing {
    /// A file whose signature selects a format; no codec reads it.
    private static let file = Array("GIF89a".utf8) + [UInt8](repeating: 7, count: 200)
    private static let sizes = [ThumbnailOptions(width: 4, height: 4), ThumbnailOptions(width: 9)]

    private enum Call: UInt8, CaseIterable {
        case header, iccProfile, frameInfos, thumbnailCost, decodeCost, decode, thumbnail, thumbnails, complete
        case byPlan, frames, measured, buffer, exif, metadata, headerAndCost, preparedMetadata

        var operation: WorkerOperation {
            switch self {
            case .header, .exif, .metadata: .header
            case .preparedMetadata: .preparedMetadata(WorkerFuzzing.prepared)
            case .iccProfile: .iccProfile
            case .frameInfos: .frameInfos
            case .thumbnailCost: .thumbnailCost(WorkerFuzzing.sizes[0])
            case .decodeCost: .decodeCost
            case .decode, .measured, .buffer: .images(.decode)
            case .thumbnail: .images(.thumbnail(WorkerFuzzing.sizes[0]))
            case .thumbnails: .images(.thumbnails(WorkerFuzzing.sizes, isComplete: false))
            case .complete: .images(.thumbnails(WorkerFuzzing.sizes, isComplete: true))
            case .byPlan: .images(.thumbnailsByPlan(WorkerFuzzing.sizes))
            case .frames: .frames
            case .headerAndCost: .headerAndCost(WorkerFuzzing.sizes[0])
            }
        }
    }

    private static let prepared = PreparedMetadata.Request(policy: .all, width: 3, height: 2)

    private static var options: DecodeOptions {
        var options = DecodeOptions()
        options.limits.maxMemory = 1 << 20
        options.limits.maxFrames = 100
        return options
    }

    private static func request(_ call: Call) -> WorkerRequest {
        WorkerRequest(
            number: 1, operation: call.operation, options: options, contentType: nil,
            input: .slab(byteCount: file.count), deadline: nil, slabBytes: 64 << 10)
    }

    // MARK: Messages

    /// Reads the bytes after the first as a message, in answer to the request that the first byte selects. A message
    /// that is accepted is equal after it is written and read again.
    public static func readReport(_ bytes: [UInt8]) {
        guard let first = bytes.first, let call = Call(rawValue: first % UInt8(Call.allCases.count)) else { return }
        let request = request(call)
        guard let report = try? WorkerReport(wireBytes: Array(bytes.dropFirst()), to: request) else { return }
        let written = report.wireBytes
        guard let again = try? WorkerReport(wireBytes: written, to: request) else {
            preconditionFailure("an accepted message is not accepted after it was written again")
        }
        precondition(again.wireBytes == written)
    }

    // MARK: Conversations

    /// Runs the call that the first byte selects against a worker that sends the packets of the other bytes and then
    /// closes its socket.
    ///
    /// A packet starts with its kind and its length in 2 bytes, low byte first. Kind 1: filled to the maximum size with
    /// its last byte; kind 2: with a descriptor; others: as it is.
    public static func converse(_ bytes: [UInt8]) {
        guard let first = bytes.first, let call = Call(rawValue: first % UInt8(Call.allCases.count)) else { return }
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let kind = Int32(SOCK_SEQPACKET.rawValue)
        #else
        let kind = Int32(SOCK_SEQPACKET)
        #endif
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { preconditionFailure("socketpair: \(errno)") }
        defer {
            close(ends[0])
            close(ends[1])
        }
        guard let worker = try? WorkerProcess(fuzzing: ends[0], number: 1) else { preconditionFailure("no memory") }
        sendPackets(bytes.dropFirst(), to: ends[1])
        shutdown(ends[1], Int32(SHUT_WR))
        var configuration = DecodeWorkers.Configuration()
        configuration.workerCount = 1
        configuration.addressSpaceBytes = 2 << 20
        var idle = worker
        if call == .frames {
            // An animation has a worker of its own; without width the supply starts no other one.
            configuration.workerCount = 0
            guard let other = try? WorkerProcess(fuzzing: -1, number: 2) else { preconditionFailure("no memory") }
            idle = other
        }
        let workers = DecodeWorkers(first: idle, configuration) { () throws(DecodeError) in
            guard call == .frames else {
                throw DecodeError(.workerUnavailable, detail: "system", "the fuzzer has one worker")
            }
            return worker
        }
        run(call, with: workers)
        precondition(workers.supply.statistics.busyWorkers == 0)
    }

    private static func sendPackets(_ bytes: ArraySlice<UInt8>, to socket: Int32) {
        var rest = bytes
        while let kind = rest.popFirst(), let low = rest.popFirst(), let high = rest.popFirst() {
            var packet = Array(rest.prefix(Int(low) | Int(high) << 8))
            rest = rest.dropFirst(packet.count)
            if kind == 1, let last = packet.last {
                packet += [UInt8](repeating: last, count: Int(PISB_MAX_MESSAGE) - packet.count)
            }
            _ = unsafe pisb_send(socket, packet, packet.count, kind == 2 ? socket : -1, 0)
        }
    }

    private static func run(_ call: Call, with workers: DecodeWorkers) {
        var decoder = ImageDecoder(options: options)
        decoder.isolation = DecodeIsolation(workers)
        let file = file
        do throws(DecodeError) {
            switch call {
            case .header: _ = try decoder.header(of: file)
            case .headerAndCost: _ = try decoder.header(of: file, expecting: sizes[0])
            case .iccProfile: _ = try decoder.iccProfile(of: file)
            case .frameInfos: _ = try decoder.frameInfos(of: file)
            case .thumbnailCost: _ = try decoder.thumbnailCost(of: file, options: sizes[0])
            case .decodeCost: _ = try decoder.decodeByteCount(of: file)
            case .decode: check(try decoder.decode(file))
            case .thumbnail: check(try decoder.thumbnail(of: file, options: sizes[0]), sizes[0])
            case .thumbnails, .complete:
                let isComplete = call == .complete
                let made = try IsolatedDecoder(
                    workers: workers, options: options, format: .gif, contentType: nil, flag: nil
                ).images(.thumbnails(sizes, isComplete: isComplete), file.span)
                precondition(made.results.count == sizes.count)
                for case (.success(let image), let size) in zip(made.results, sizes) { check(image, size) }
            case .byPlan:
                let images = try decoder.thumbnailsGroupedByPlan(of: file, options: sizes).images
                precondition(images.count == sizes.count)
                for (image, size) in zip(images, sizes) { check(image, size) }
            case .measured:
                let work = try decoder.work(.decode, file.span, nil)
                check(try work.images(file.span).first())
            case .buffer:
                var pixels = [UInt8](repeating: 0, count: 4096)
                var span = pixels.mutableSpan
                _ = try decoder.decode(file, into: &span, layout: .bgra, stride: nil)
            case .exif: _ = try decoder.exif(of: file)
            case .metadata: _ = try decoder.metadata(of: file)
            case .preparedMetadata: _ = try decoder.preparedMetadata(of: file, for: prepared)
            case .frames: try runFrames(decoder)
            }
        } catch {
            precondition(error.code != .workerUnavailable, "\(error)")
        }
    }

    /// - Parameter size: The requested size; nil for that of the header.
    private static func check(_ image: DecodedImage, _ size: ThumbnailOptions? = nil) {
        let (width, height) = (image.header.displayWidth, image.header.displayHeight)
        precondition(image.bitmap.width <= size?.width ?? width && image.bitmap.height <= size?.height ?? height)
        precondition(image.bitmap.width > 0 && image.bitmap.height > 0)
        precondition(image.bitmap.byteCount <= options.limits.maxMemory ?? 0)
        precondition(image.bitmap.copyBytes().count == image.bitmap.width * image.bitmap.height * 4)
    }

    private static func runFrames(_ decoder: ImageDecoder) throws(DecodeError) {
        let frames = try decoder.frames(of: file)
        for index in 0..<3 {
            if let info = try? frames.advance() { precondition(info.index == index && info.delay.numerator <= 0xFFFF) }
            if let bitmap = try? frames.composed() {
                precondition(bitmap.width == frames.header.displayWidth)
                precondition(bitmap.byteCount == bitmap.copyBytes().count)
                precondition(bitmap.byteCount <= options.limits.maxMemory ?? 0)
            }
            if let bitmap = try? frames.raw() { precondition(bitmap.byteCount == bitmap.copyBytes().count) }
        }
    }

    // MARK: Seeds

    /// Valid answers to every call: for ``readReport(_:)`` and for ``converse(_:)``.
    public static var seeds: (reports: [[UInt8]], conversations: [[UInt8]]) {
        var (reports, conversations): ([[UInt8]], [[UInt8]]) = ([], [])
        let frame = FrameInfo(
            index: 0, x: 0, y: 0, width: 3, height: 2, delay: FrameDelay(numerator: 1, denominator: 10),
            disposal: .clear, blend: .over)
        for call in Call.allCases {
            let results: [WorkerResult]
            switch call {
            case .header, .exif, .metadata: results = [.header(header)]
            case .headerAndCost:
                let plan = ThumbnailPlan(scaleDenominator: 2, detail: .lastRefinement)
                results = [.headerAndCost(header, cost: WorkerResult.Cost(byteCount: 9, plan: plan))]
            case .iccProfile: results = [.iccProfile([1, 2, 3])]
            case .preparedMetadata:
                results = [
                    .preparedMetadata(
                        PreparedMetadata(prepared, metadata: ImageMetadata(), jpegEXIF: nil, webPEXIF: nil))
                ]
            case .frameInfos: results = [.frameInfos([frame, frame])]
            case .thumbnailCost:
                results = [.cost(byteCount: 9, plan: ThumbnailPlan(scaleDenominator: 2, detail: .lastRefinement))]
            case .decodeCost: results = [.cost(byteCount: 9, plan: nil)]
            case .decode, .thumbnail, .measured, .buffer: results = [images(1)]
            case .thumbnails, .complete, .byPlan: results = [images(2)]
            case .frames:
                let step: [WorkerResult] = [
                    .frame(.success(frame), .truncated(rows: 1)), .pixels(WorkerImage(offset: 0, width: 3, height: 2)),
                    .pixels(nil),
                ]
                results = [.frames(header)] + step + step + [.frame(.success(nil), .complete)]
            }
            var messages = results.map { WorkerReport.finished(number: 1, $0) }
            if case .images = call.operation {
                messages.insert(.measured(number: 1, byteCount: 1, outputBytes: 3 * 2 * 4 * 2 + 64), at: 0)
            }
            reports += messages.map { [call.rawValue] + $0.wireBytes }
            conversations.append(messages.reduce([call.rawValue]) { $0 + packet([0] + $1.wireBytes) })
            // A worker whose output fits into the permitted place does not announce it.
            conversations.append(
                results.reduce([call.rawValue]) {
                    $0 + packet([0] + WorkerReport.finished(number: 1, $1).wireBytes)
                })
            let error = WorkerReport.finished(
                number: 1, .failure(DecodeError(.malformed, format: .gif, detail: "detail", "message")))
            reports.append([call.rawValue] + error.wireBytes)
            conversations.append([call.rawValue] + packet([0] + error.wireBytes))
        }
        // A message of two packets: the first is full.
        let start = [UInt8](repeating: 1, count: 1) + WorkerReport.finished(number: 1, .iccProfile([])).wireBytes
        conversations.append([Call.iccProfile.rawValue] + packet(start, kind: 1) + packet([0, 1, 2, 3]))
        conversations.append([Call.header.rawValue] + packet([0, 2], kind: 2))
        return (reports, conversations)
    }

    private static func packet(_ bytes: [UInt8], kind: UInt8 = 0) -> [UInt8] {
        [kind, UInt8(truncatingIfNeeded: bytes.count), UInt8(truncatingIfNeeded: bytes.count >> 8)] + bytes
    }

    private static var header: ImageHeader {
        var header = ImageHeader(
            format: .gif, width: 3, height: 2, bitsPerChannel: 8, channelCount: 4, colorModel: .rgb, hasAlpha: true)
        header.exifRange = 10..<20
        header.frameCount = 2
        header.iccProfileDescription = "sRGB"
        header.warnings = [DecodeWarning(code: 3)]
        return header
    }

    private static func images(_ count: Int) -> WorkerResult {
        let images = (0..<count).map { index in
            WorkerResult.Image(
                place: WorkerImage(offset: index * 64, width: 3, height: 2), header: header,
                status: .corrupt([DecodeWarning(code: 3)]))
        }
        return .images(images, (0..<count).map { .success($0) }, decodeCount: 1)
    }
}
#endif
