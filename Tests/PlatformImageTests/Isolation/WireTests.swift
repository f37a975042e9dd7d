import Testing

@testable import PlatformImage

/// Messages between a program and a decode worker: round trips, and messages that are not valid.
@Suite struct WireTests {
    // MARK: Options

    /// One changed value per property.
    private static let decodeChanges: [String: @Sendable (inout DecodeOptions) -> Void] = [
        "limits": { $0.limits.maxSide = 77 },
        "appliesOrientation": { $0.appliesOrientation = false },
        "convertsToSRGB": { $0.convertsToSRGB = false },
        "strictness": { $0.strictness = .warning },
        "allowedFormats": { $0.allowedFormats = [.png, .gif] },
        "requiresMatchingContentType": { $0.requiresMatchingContentType = true },
        "scaleDenominator": { $0.scaleDenominator = 4 },
        "page": { $0.page = 3 },
        "refusesRareCodecs": { $0.refusesRareCodecs = true },
        "maxCountedFrames": { $0.maxCountedFrames = 5 },
        "usesLibrariesAlone": { $0.usesLibrariesAlone = true },
        "usesLeastMemory": { $0.usesLeastMemory = true },
        "budgetBytes": { $0.budgetBytes = 1 << 40 },
        "declaredContentType": { $0.declaredContentType = .png },
    ]

    private static let limitChanges: [String: @Sendable (inout DecodeLimits) -> Void] = [
        "maxInputBytes": { $0.maxInputBytes = 1 },
        "maxSide": { $0.maxSide = nil },
        "maxPixels": { $0.maxPixels = 3 },
        "maxMemory": { $0.maxMemory = .max },
        "maxFrames": { $0.maxFrames = 0 },
        "maxTotalPixels": { $0.maxTotalPixels = 6 },
        "maxScans": { $0.maxScans = nil },
        "maxScanSamples": { $0.maxScanSamples = 8 },
        "maxPages": { $0.maxPages = 9 },
        "maxSamplesPerPixel": { $0.maxSamplesPerPixel = 10 },
        "maxTileSide": { $0.maxTileSide = 11 },
        "maxMetadataItem": { $0.maxMetadataItem = 12 },
        "maxMetadataTotal": { $0.maxMetadataTotal = 13 },
        "maxChunks": { $0.maxChunks = 14 },
        "maxWork": { $0.maxWork = 15 },
    ]

    private static let thumbnailChanges: [String: @Sendable (inout ThumbnailOptions) -> Void] = [
        "width": { $0.width = 7 },
        "height": { $0.height = 7 },
        "fit": { $0.fit = .cover },
        "gravity": { $0.gravity = Gravity(x: 0.25, y: 1) },
        "crop": { $0.crop = PixelRectangle(x: 1, y: -2, width: 3, height: 4) },
        "allowsUpscaling": { $0.allowsUpscaling = true },
        "padsToBox": { $0.padsToBox = true },
        "background": { $0.background = RGBA8(red: 1, green: 2, blue: 3, alpha: 4) },
        "filter": { $0.filter = .box },
        "linearLight": { $0.linearLight = true },
        "quality": { $0.quality = .draft },
        "usesEmbeddedThumbnail": { $0.usesEmbeddedThumbnail = true },
        "keepsChromaDetail": { $0.keepsChromaDetail = true },
    ]

    /// Expects that each property of `plain` survives a round trip. A new property fails here until it is part of the
    /// messages and of `changes`.
    private func expectRoundTrips<Options: Equatable>(
        of plain: Options, _ changes: [String: @Sendable (inout Options) -> Void],
        _ write: (inout WireWriter, Options) -> Void, _ read: (inout WireReader) throws(WireError) -> Options
    ) throws {
        func roundTrip(_ options: Options) throws -> Options {
            var writer = WireWriter()
            write(&writer, options)
            var reader = WireReader(writer.bytes)
            let result = try read(&reader)
            try reader.finish()
            return result
        }
        let labels = Mirror(reflecting: plain).children.compactMap(\.label)
        #expect(Set(labels) == Set(changes.keys))
        var all = plain
        for label in labels {
            var options = plain
            let change = try #require(changes[label])
            change(&options)
            change(&all)
            #expect(options != plain, "\(label)")
            #expect(try roundTrip(options) == options, "\(label)")
        }
        #expect(try roundTrip(plain) == plain)
        #expect(try roundTrip(all) == all)
    }

    @Test func everyPropertyOfDecodeOptionsSurvivesARoundTrip() throws {
        try expectRoundTrips(of: DecodeOptions(), Self.decodeChanges) {
            $0.write($1)
        } _: { (reader) throws(WireError) in
            try reader.readDecodeOptions()
        }
    }

    @Test func everyPropertyOfDecodeLimitsSurvivesARoundTrip() throws {
        try expectRoundTrips(of: DecodeLimits(), Self.limitChanges) {
            $0.write($1)
        } _: { (reader) throws(WireError) in
            try reader.readLimits()
        }
    }

    @Test func everyPropertyOfThumbnailOptionsSurvivesARoundTrip() throws {
        try expectRoundTrips(of: ThumbnailOptions(), Self.thumbnailChanges) {
            $0.write($1)
        } _: { (reader) throws(WireError) in
            try reader.readThumbnailOptions()
        }
    }

    // MARK: Messages

    private static let size = ThumbnailOptions(width: 7, height: 9)

    private static let operations: [WorkerOperation] = [
        .header, .iccProfile, .frameInfos, .thumbnailCost(size), .decodeCost, .images(.decode),
        .images(.thumbnail(size)), .images(.thumbnails([size, ThumbnailOptions(height: 3)], isComplete: true)),
        .images(.thumbnails([size], isComplete: false)), .images(.thumbnailsByPlan([size, size])), .frames,
        .sourceProfile, .metadata,
        .preparedMetadata(PreparedMetadata.Request(policy: .withoutLocation, width: 3, height: -2, hasProfile: true)),
        .headerAndCost(size),
    ]

    private static func request(_ operation: WorkerOperation) -> WorkerRequest {
        WorkerRequest(
            number: 0x0102_0304_0506_0708, operation: operation, options: DecodeOptions(), contentType: .png,
            input: .slab(byteCount: 1000), deadline: 12, slabBytes: 4096)
    }

    private static let commands: [WorkerCommand] =
        operations.map { .request(request($0)) } + [
            .start(slabBytes: 1, addressSpaceBytes: 0), .start(slabBytes: .max, addressSpaceBytes: .max),
            .proceed(number: .max, slabBytes: 4096, outputStart: 0), .frame(number: 1, .advance, slabBytes: 1),
            .frame(number: 1, .compose, slabBytes: 1), .frame(number: 1, .raw, slabBytes: 1),
            .releaseMemory(number: 0), .releaseMemory(number: .max),
            .request(
                WorkerRequest(
                    number: 1, operation: .images(.decode), options: .strict, contentType: nil,
                    input: .descriptor(byteCount: .max), deadline: nil, slabBytes: 1,
                    output: WorkerOutputPlace(start: 4096, byteCount: .max))),
        ]

    private static let header: ImageHeader = {
        var header = ImageHeader(
            format: .jpeg, width: 3, height: 2, bitsPerChannel: 8, channelCount: 4, colorModel: .cmyk, hasAlpha: true)
        header.orientation = .leftMirrored
        header.frameCount = 2
        header.loopCount = 0
        header.isProgressive = true
        header.profileSource = .icc
        header.iccProfileDescription = "Profil Ünï\u{1F600}"
        header.iccProfileByteCount = 99
        header.exifRange = 10..<1000
        header.workByteCount = 77
        header.warnings = [DecodeWarning(code: 3), DecodeWarning(code: 70)]
        header.declaredContentType = .png
        return header
    }()

    private static let frame = FrameInfo(
        index: 4, x: 1, y: 2, width: 3, height: 4, delay: FrameDelay(numerator: 1, denominator: 10),
        disposal: .restorePrevious, blend: .over)
    private static let error = DecodeError(.limitExceeded, format: .gif, detail: "maxFrames", "2 frames, limit 1")
    private static let statuses: [DecodeStatus] = [
        .complete, .truncated(rows: 5), .corrupt([DecodeWarning(code: 1), DecodeWarning(code: 2)]),
    ]

    private static func images(_ count: Int) -> WorkerResult {
        .images(
            (0..<count).map { index in
                WorkerResult.Image(
                    place: WorkerImage(offset: index * 64, width: 3, height: 2), header: header,
                    status: statuses[index % 3])
            }, (0..<count).map { .success($0) }, decodeCount: 1)
    }

    /// All kinds of reports, with the operation whose request they answer.
    private static let reports: [(WorkerOperation, WorkerReport)] = {
        var results: [(WorkerOperation, WorkerResult)] = [
            (.header, .header(header)), (.frames, .frames(header)), (.iccProfile, .iccProfile(nil)),
            (.iccProfile, .iccProfile([1, 2, 3])), (.frameInfos, .frameInfos([])), (.frameInfos, .frameInfos([frame])),
            (.decodeCost, .cost(byteCount: 5, plan: nil)),
            (
                .thumbnailCost(size),
                .cost(byteCount: 5, plan: ThumbnailPlan(scaleDenominator: 8, detail: .lastRefinement))
            ), (.images(.decode), images(1)), (.images(.thumbnail(size)), images(1)),
            (.headerAndCost(size), .headerAndCost(header, cost: nil)),
            (
                .headerAndCost(size),
                .headerAndCost(
                    header,
                    cost: WorkerResult.Cost(
                        byteCount: WireReader.maxByteCount, plan: ThumbnailPlan(scaleDenominator: 1, detail: [])))
            ),
            (.images(.thumbnails([size, size], isComplete: true)), images(2)),
            (.images(.thumbnailsByPlan([size, size, size])), images(3)),
            (
                .images(.thumbnails([size, size], isComplete: false)),
                .images([], [.failure(error), .failure(error)], decodeCount: 0)
            ), (.frames, .frame(.success(nil), .complete)), (.frames, .frame(.failure(error), .complete)),
            (.frames, .pixels(nil)), (.frames, .pixels(WorkerImage(offset: 1, width: 2, height: 3))),
        ]
        results += statuses.map { (.frames, .frame(.success(frame), $0)) }
        results += operations.map { ($0, .failure(error)) }
        return results.map { ($0, .finished(number: 9, $1)) } + [
            (.images(.decode), .measured(number: .max, byteCount: 0, outputBytes: WireReader.maxByteCount)),
            (
                .header,
                .ready(
                    SandboxReport(
                        noNewPrivileges: true, hasSystemCallFilter: true, landlockVersion: 7, hasLimits: false,
                        errorNumber: 38))
            ),
        ]
    }()

    @Test func everyCommandSurvivesARoundTrip() throws {
        for command in Self.commands { #expect(try WorkerCommand(wireBytes: command.wireBytes) == command) }
    }

    @Test func everyReportSurvivesARoundTrip() throws {
        for (operation, report) in Self.reports {
            let read = try WorkerReport(wireBytes: report.wireBytes, to: Self.request(operation))
            #expect(String(reflecting: read) == String(reflecting: report))
            #expect(dumpText(read) == dumpText(report))
        }
    }

    /// All stored values; descriptions can omit some.
    private func dumpText(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func reportOfAResultBeforeTheFirstRequestThrows() {
        for (_, report) in Self.reports {
            guard case .finished = report else { continue }
            #expect(throws: WireError.self) { try WorkerReport(wireBytes: report.wireBytes, to: nil) }
        }
    }

    @Test func everyCodeOfAWorkerSurvivesARoundTripAndOthersThrow() throws {
        let codes: [(DecodeError.Code, Bool)] = [
            (.unknownFormat, true), (.contentTypeMismatch, true), (.unsupported, true), (.malformed, true),
            (.truncated, true), (.limitExceeded, true), (.invalidArgument, true), (.emptyCrop, true),
            (.outOfMemory, true), (.cancelled, true), (.internal, true), (.fileUnreadable, false),
            (.processorFailed, false), (.crashed, false), (.timedOut, false), (.workerUnavailable, false),
        ]
        for (code, isOfWorkers) in codes {
            var writer = WireWriter()
            writer.write(DecodeError(code, "message"))
            var reader = WireReader(writer.bytes)
            #expect((try? reader.readError().code) == (isOfWorkers ? code : nil))
        }
    }

    @Test func messageOfAnErrorIsOneLineOfAtMost1000Bytes() throws {
        var writer = WireWriter()
        writer.write(DecodeError(.malformed, String(repeating: "\u{1F600}\n\u{7}", count: 1000)))
        var reader = WireReader(writer.bytes)
        let message = try reader.readError().message
        #expect(message.utf8.count <= 1000 && message.utf8.count > 990)
        #expect(!message.contains { $0.isNewline || $0 == "\u{7}" })
    }

    // MARK: Messages that are not valid

    private static var messages: [(bytes: [UInt8], read: ([UInt8]) throws -> Void)] {
        commands.map { command in (command.wireBytes, { _ = try WorkerCommand(wireBytes: $0) }) }
            + reports.map { (operation, report) in
                let request = request(operation)
                return (report.wireBytes, { _ = try WorkerReport(wireBytes: $0, to: request) })
            }
    }

    @Test func everyCutMessageThrows() {
        for (bytes, read) in Self.messages {
            for count in 0..<bytes.count { #expect(throws: WireError.self) { try read(Array(bytes[..<count])) } }
        }
    }

    @Test func everyMessageWithAFurtherByteThrows() {
        for (bytes, read) in Self.messages {
            for byte in [0, 1, 255] as [UInt8] { #expect(throws: WireError.self) { try read(bytes + [byte]) } }
        }
    }

    @Test func everyChangedByteThrowsOrGivesAValue() {
        for (bytes, read) in Self.messages {
            for position in bytes.indices {
                for byte in [0, 1, 2, 0x7F, 0x80, 0xFF, bytes[position] ^ 1, bytes[position] &+ 1] as [UInt8] {
                    var changed = bytes
                    changed[position] = byte
                    do {
                        try read(changed)
                    } catch {
                        #expect(error is WireError)
                    }
                }
            }
        }
    }

    /// Every 8 bytes are replaced by numbers far above the size of the message, as counts and lengths may be.
    @Test func countsAboveTheSizeOfTheMessageThrowOrGiveAValue() {
        for (bytes, read) in Self.messages where bytes.count >= 8 {
            for position in 0...bytes.count - 8 {
                for number in [1 << 20, 1 << 32, 1 << 62, UInt64(Int64.max), .max] as [UInt64] {
                    var writer = WireWriter()
                    writer.write(number)
                    try? read(Array(bytes[..<position]) + writer.bytes + Array(bytes[(position + 8)...]))
                }
            }
        }
    }

    @Test(arguments: [-1, 1, 1 << 20, 1 << 40, .max]) func lengthAboveTheRemainingBytesThrows(_ count: Int) {
        var writer = WireWriter()
        writer.write(count)
        let bytes = writer.bytes
        #expect(throws: WireError.self) {
            var reader = WireReader(bytes)
            _ = try reader.readBytes(maxCount: .max)
        }
        #expect(throws: WireError.self) {
            var reader = WireReader(bytes)
            _ = try reader.readString(maxCount: .max)
        }
        #expect(throws: WireError.self) {
            var reader = WireReader(bytes)
            _ = try reader.readAll(maxCount: .max) { (reader) throws(WireError) in try reader.readByte() }
        }
    }

    /// The elements before the end of the message are the only memory of a list, whatever count precedes them.
    @Test func countFarAboveTheMessageReadsOnlyItsElements() {
        var writer = WireWriter()
        writer.write(Int.max)
        for _ in 0..<1000 { writer.write(UInt8(1)) }
        var reader = WireReader(writer.bytes)
        var count = 0
        #expect(throws: WireError.self) {
            _ = try reader.readAll(maxCount: .max) { (reader) throws(WireError) -> UInt8 in
                let byte = try reader.readByte()
                count += 1
                return byte
            }
        }
        #expect(count == 1000)
    }

    @Test func positionOfAnImageThatIsNotInTheResultThrows() {
        let result = WorkerResult.images([], [.success(0)], decodeCount: 1)
        #expect(throws: WireError.self) {
            try WorkerReport(
                wireBytes: WorkerReport.finished(number: 1, result).wireBytes, to: Self.request(.images(.decode)))
        }
    }

    @Test func moreImagesThanRequestedThrow() {
        #expect(throws: WireError.self) {
            try WorkerReport(
                wireBytes: WorkerReport.finished(number: 1, Self.images(2)).wireBytes,
                to: Self.request(.images(.decode)))
        }
    }

    @Test func exifRangeOutsideOfTheFileThrows() {
        for range in [0..<1001, 1001..<1001] {
            var header = Self.header
            header.exifRange = range
            #expect(throws: WireError.self) {
                try WorkerReport(
                    wireBytes: WorkerReport.finished(number: 1, .header(header)).wireBytes, to: Self.request(.header))
            }
        }
    }
}
