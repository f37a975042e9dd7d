#if os(Linux)
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Results in the form of the protocol that do not fit to their request: the parent ends the worker and throws.
@Suite(.requirement("A14")) struct HostileResultTests {
    private static let size = ThumbnailOptions(width: 32)
    private static let violation = "crashed(protocol)"

    private static func finished(_ result: WorkerResult) -> WorkerReport { .finished(number: 1, result) }

    /// An announcement of an output, and images in it.
    private static func reports(
        _ places: [(width: Int, height: Int)], header: ImageHeader = HostileWorker.header,
        status: DecodeStatus = .complete, decodeCount: Int = 1
    ) -> [WorkerReport] {
        let images = places.map {
            WorkerResult.Image(
                place: WorkerImage(offset: 0, width: $0.width, height: $0.height), header: header, status: status)
        }
        let byteCount = places.reduce(64) { $0 + $1.width * $1.height * 4 }
        return [
            .measured(number: 1, byteCount: 1, outputBytes: byteCount),
            finished(.images(images, images.indices.map { .success($0) }, decodeCount: decodeCount)),
        ]
    }

    @Test(arguments: [(32, 26, "none"), (5_000, 5_000, violation), (32, 27, violation), (33, 26, violation)])
    func thumbnailHasTheSizeOfTheRequest(_ width: Int, _ height: Int, _ expected: String) throws {
        let error = try HostileWorker.error(after: Self.reports([(width, height)])) {
            _ = try $0.thumbnail(of: HostileWorker.file, options: Self.size)
        }

        #expect(error == expected)
    }

    @Test func thumbnailOfALargerHeaderIsRefusedByTheLimits() throws {
        var header = HostileWorker.header
        (header.width, header.height) = (1, 60_000)

        let error = try HostileWorker.error(after: Self.reports([(32, 1_920_000)], header: header)) {
            _ = try $0.thumbnail(of: HostileWorker.file, options: Self.size)
        }

        #expect(error == Self.violation)
    }

    @Test(arguments: [(100, 80, "none"), (80, 100, violation), (5_000, 5_000, violation), (1, 1, violation)])
    func decodedImageHasTheSizeOfItsHeader(_ width: Int, _ height: Int, _ expected: String) throws {
        for reports in [Self.reports([(width, height)])] {
            #expect(try HostileWorker.error(after: reports) { _ = try $0.decode(HostileWorker.file) } == expected)
        }
    }

    @Test func orientedImageHasExchangedSides() throws {
        var header = HostileWorker.header
        header.orientation = .right
        for ((width, height), expected) in [((100, 80), Self.violation), ((80, 100), "none")] {
            let error = try HostileWorker.error(after: Self.reports([(width, height)], header: header)) {
                _ = try $0.decode(HostileWorker.file)
            }
            #expect(error == expected)
        }
    }

    @Test(arguments: [(0, "none"), (80, "none"), (81, violation)])
    func statusHasAtMostTheRowsOfTheImage(_ rows: Int, _ expected: String) throws {
        let error = try HostileWorker.error(after: Self.reports([(100, 80)], status: .truncated(rows: rows))) {
            _ = try $0.decode(HostileWorker.file)
        }

        #expect(error == expected)
    }

    @Test func numberOfDecodesAboveTheRequestIsAViolation() throws {
        let error = try HostileWorker.error(after: Self.reports([(100, 80)], decodeCount: 2)) {
            _ = try $0.decode(HostileWorker.file)
        }

        #expect(error == Self.violation)
    }

    /// A change of the header of the file, and the result of its request.
    private struct HeaderChange: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let change: @Sendable (inout ImageHeader) -> Void

        init(_ name: String, _ expected: String, _ change: @escaping @Sendable (inout ImageHeader) -> Void) {
            testDescription = name
            self.expected = expected
            self.change = change
        }
    }

    private static let headerChanges = [
        HeaderChange("none", "none") { _ in },
        HeaderChange("another format", violation) { $0.format = .png },
        HeaderChange("more frames than bytes", violation) { $0.frameCount = 207 },
        HeaderChange("all frames", violation) { $0.frameCount = .max },
        HeaderChange("more plays than a format can contain", violation) { $0.loopCount = 1 << 32 },
        // An estimate of memory is limited when it is written.
        HeaderChange("too much memory", "none") { $0.workByteCount = .max },
        HeaderChange("a profile above the limit", violation) { $0.iccProfileByteCount = 5 << 20 },
        HeaderChange("too many pixels", violation) { ($0.width, $0.height) = (20_000, 20_000) },
    ]

    @Test(arguments: headerChanges) private func headerHasValuesOfTheFile(_ change: HeaderChange) throws {
        var header = HostileWorker.header
        change.change(&header)

        let error = try HostileWorker.error(after: [Self.finished(.header(header))]) {
            let header = try $0.header(of: HostileWorker.file)
            #expect(header.workByteCount <= 1 << 48)
        }

        #expect(error == change.expected)
    }

    /// A frame of the canvas with this delay.
    private static func frame(_ index: Int, _ numerator: Int = 1, _ denominator: Int = 100) -> FrameInfo {
        FrameInfo(
            index: index, x: 0, y: 0, width: 100, height: 80,
            delay: FrameDelay(numerator: numerator, denominator: denominator), disposal: .keep, blend: .source)
    }

    private static func frames(_ infos: [FrameInfo?]) -> [WorkerReport] {
        [finished(.frames(HostileWorker.header))] + infos.map { finished(.frame(.success($0), .complete)) }
    }

    /// Reads all frames without their pixels.
    private static func readAll(_ decoder: ImageDecoder) throws {
        let frames = try decoder.frames(of: HostileWorker.file)
        for _ in 0..<6 { _ = try frames.advance() }
    }

    @Test(
        arguments: [
            ("in order", [frame(0), frame(1), frame(2), nil, nil, nil], "none"),
            ("over maxFrames", (0..<131_073).prefix(6).map { frame($0) }, violation),
            ("a first frame that is not the first", [frame(1)], violation),
            ("the same frame again", [frame(0), frame(0)], violation),
            ("a frame left out", [frame(0), frame(2)], violation),
            ("a frame after the end", [frame(0), nil, frame(1)], violation),
            ("the last number", [frame(.max >> 32)], violation),
            ("a delay above 16 bits", [frame(0, 65_536)], violation),
            ("a denominator above 16 bits", [frame(0, 1, 65_536)], violation),
            ("the longest delay of the protocol", [frame(0, Int(UInt32.max), 1)], violation),
        ] as [(String, [FrameInfo?], String)])
    func framesAreThoseThatAnAnimationCanHave(_ name: String, _ infos: [FrameInfo?], _ expected: String) throws {
        var options = DecodeOptions()
        options.limits.maxFrames = 5

        #expect(
            try HostileWorker.error(after: Self.frames(infos), options: options, isSession: true) {
                try Self.readAll($0)
            } == expected, "\(name)")
    }

    @Test func framesOverTheTotalOfPixelsAreAViolation() throws {
        var options = DecodeOptions()
        options.limits.maxTotalPixels = 2 * 100 * 80

        #expect(
            try HostileWorker.error(
                after: Self.frames([Self.frame(0), Self.frame(1), Self.frame(2)]), options: options, isSession: true
            ) { try Self.readAll($0) } == Self.violation)
    }

    @Test(arguments: [(100, 80, "none"), (50, 160, violation), (100, 79, violation), (1, 1, violation)])
    func canvasAndFrameHaveTheirSizes(_ width: Int, _ height: Int, _ expected: String) throws {
        let pixels = Self.finished(.pixels(WorkerImage(offset: 0, width: width, height: height)))
        for isRaw in [false, true] {
            let error = try HostileWorker.error(after: Self.frames([Self.frame(0)]) + [pixels], isSession: true) {
                let frames = try $0.frames(of: HostileWorker.file)
                _ = try frames.advance()
                _ = isRaw ? try frames.raw() : try frames.composed()
            }
            #expect(error == expected)
        }
    }

    @Test func rawPixelsBeforeTheFirstFrameAreAViolation() throws {
        let pixels = Self.finished(.pixels(WorkerImage(offset: 0, width: 1, height: 1)))

        #expect(
            try HostileWorker.error(after: Self.frames([]) + [pixels], isSession: true) {
                _ = try $0.frames(of: HostileWorker.file).raw()
            } == Self.violation)
    }

    @Test(
        arguments: [
            ([frame(0), frame(1)], "none"), ([frame(1)], violation), ([frame(0), frame(2)], violation),
            ([frame(0, 65_536)], violation), ((0..<6).map { frame($0) }, violation),
        ] as [([FrameInfo], String)])
    func listOfFramesIsOneThatAnAnimationCanHave(_ infos: [FrameInfo], _ expected: String) throws {
        var options = DecodeOptions()
        options.limits.maxFrames = 5

        #expect(
            try HostileWorker.error(after: [Self.finished(.frameInfos(infos))], options: options) {
                _ = try $0.frameInfos(of: HostileWorker.file)
            } == expected)
    }

    @Test func metadataAboveItsLimitsIsAViolation() throws {
        var options = DecodeOptions()
        (options.limits.maxMetadataItem, options.limits.maxMetadataTotal) = (100, 250)
        for (counts, expected) in [
            ([100, 100, 50], "none"), ([101, 1, 1], Self.violation), ([100, 100, 51], Self.violation),
            ([0, 1, 1], Self.violation),
        ] {
            let blocks = counts.map { [UInt8](repeating: 0x1C, count: $0) }
            let metadata = ImageMetadata(exif: blocks[0], xmp: blocks[1], iptc: blocks[2])
            let error = try HostileWorker.error(after: [Self.finished(.metadata(metadata))], options: options) {
                _ = try $0.metadata(of: HostileWorker.file)
            }
            #expect(error == expected, "\(counts)")
        }
    }
}
#endif
