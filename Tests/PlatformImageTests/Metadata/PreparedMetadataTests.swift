import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Metadata that is filtered once for several encodes, in this process and in workers.
@Suite(.requirement("A6")) struct PreparedMetadataTests {
    private static let formats = EncodedFormat.allCases.filter { $0.isAvailable }
    private static let bitmap = SampleImage.gradient.bitmap(31, 17)

    private static func request(_ policy: MetadataPolicy, hasProfile: Bool = false) -> PreparedMetadata.Request {
        PreparedMetadata.Request(policy: policy, width: 31, height: 17, hasProfile: hasProfile)
    }

    @Test(arguments: formats, MetadataPolicy.allCases)
    func fileWithPreparedMetadataIsThatWithItsSource(_ format: EncodedFormat, _ policy: MetadataPolicy) throws {
        for source in [try MetadataFiles.jpeg(), try MetadataFiles.png(), MetadataFiles.tiff()] {
            var plain = ImageEncoder()
            plain.options.metadata = try ImageDecoder().metadata(of: source)
            plain.options.metadataPolicy = policy
            var encoder = ImageEncoder()
            encoder.options.preparedMetadata = try ImageDecoder().preparedMetadata(
                of: source, for: Self.request(policy))

            let file = try encoder.encode(Self.bitmap, as: format)

            #expect(try file == plain.encode(Self.bitmap, as: format))
        }
    }

    /// The filters poll the flag, the encoder of prepared metadata does not.
    @Test func encodesOfPreparedMetadataDoNotFilterAgain() throws {
        let sets = [[UInt8]](repeating: MetadataBlocks.dataSet(2, 120, [65]), count: 9_000).flatMap { $0 }
        var encoder = ImageEncoder()
        let metadata = ImageMetadata(iptc: sets)
        encoder.options.preparedMetadata = PreparedMetadata(metadata, Self.request(.all), cancellation: nil)
        let (prepared, plain) = (CancellationFlag(), CancellationFlag())

        for quality in [90, 50, 10] {
            encoder.options.jpeg.quality = quality
            _ = try encoder.encode(Self.bitmap, as: .jpeg, cancellation: prepared)
        }

        var other = ImageEncoder()
        for quality in [90, 50, 10] {
            other.options.jpeg.quality = quality
            _ = try other.encode(Self.bitmap, as: .jpeg, cancellation: plain)
        }
        #expect(prepared.pollCount == plain.pollCount)
    }

    @Test(arguments: [(32, 17), (31, 18), (17, 31), (0, 0), (.max, .min)])
    func preparedMetadataOfAnotherSizeIsAnInvalidArgument(_ width: Int, _ height: Int) throws {
        var encoder = ImageEncoder()
        let request = PreparedMetadata.Request(policy: .all, width: width, height: height)
        encoder.options.preparedMetadata = try ImageDecoder().preparedMetadata(of: MetadataFiles.jpeg(), for: request)

        for format in Self.formats {
            #expect(throws: EncodeError.self) { try encoder.encode(Self.bitmap, as: format) }
        }
    }

    @Test func raisedFlagStopsThePreparation() throws {
        let flag = CancellationFlag()
        flag.cancel()

        #expect(throws: DecodeError.self) {
            try ImageDecoder().preparedMetadata(of: MetadataFiles.jpeg(), for: Self.request(.all), cancellation: flag)
        }
    }

    #if os(Linux)
    @Test(arguments: MetadataPolicy.allCases)
    func workerReturnsTheSameBlocks(_ policy: MetadataPolicy) throws {
        var isolated = ImageDecoder()
        isolated.isolation = DecodeIsolation(try TestWorkers.start())
        for source in [
            try MetadataFiles.jpeg(), try MetadataFiles.png(), MetadataFiles.tiff(),
            try Fixture.file("gif/disposal-1.gif"),
        ] {
            let request = Self.request(policy, hasProfile: true)

            let prepared = try isolated.preparedMetadata(of: source, for: request)

            #expect(try prepared == ImageDecoder().preparedMetadata(of: source, for: request))
        }
    }

    /// Reading, filtering and writing of metadata are in the worker: a trap ends one worker and one request.
    @Test(arguments: ["trap", "abort", "writeToNull"])
    func defectPlantedInMetadataEndsOneWorkerAndOneRequest(_ action: String) throws {
        let workers = try TestWorkers.start(program: "PlatformImagePlantedDecoder") {
            $0.workerCount = 2
            $0.refusalTime = .zero
        }
        var decoder = ImageDecoder()
        decoder.isolation = DecodeIsolation(workers)
        let clean = try MetadataFiles.jpeg()
        let planted = clean + Array("planted:\(action);".utf8)
        let request = Self.request(.all)
        let expected = try ImageDecoder().preparedMetadata(of: clean, for: request)
        let operations: [(ImageDecoder) throws -> Void] = [
            { _ = try $0.metadata(of: planted) }, { _ = try $0.preparedMetadata(of: planted, for: request) },
        ]
        for (index, operation) in operations.enumerated() {
            let error = #expect(throws: DecodeError.self) { try operation(decoder) }

            #expect(error?.code == .crashed)
            #expect(workers.statistics.endedWorkers[.crashed] == index + 1)
            #expect(try decoder.preparedMetadata(of: clean, for: request) == expected)
            #expect(try decoder.metadata(of: clean) == ImageDecoder().metadata(of: clean))
        }
    }

    @Test func preparedBlocksThatTheRequestExcludesAreAViolation() throws {
        let block: [UInt8] = [1, 2, 3]
        let all = PreparedMetadata.Request(policy: .all, width: 3, height: 2)
        let strip = PreparedMetadata.Request(policy: .strip, width: 3, height: 2)
        for (request, metadata, jpegEXIF) in [
            (all, ImageMetadata(xmp: block), nil), (strip, ImageMetadata(iptc: block), nil),
            (all, ImageMetadata(), block), (all, ImageMetadata(), nil),
        ] as [(PreparedMetadata.Request, ImageMetadata, [UInt8]?)] {
            let prepared = PreparedMetadata(request, metadata: metadata, jpegEXIF: jpegEXIF, webPEXIF: nil)
            let isEmpty = metadata.isEmpty && jpegEXIF == nil
            // A GIF has no metadata.
            #expect(
                try HostileWorker.error(after: [.finished(number: 1, .preparedMetadata(prepared))]) {
                    _ = try $0.preparedMetadata(of: HostileWorker.file, for: request)
                } == (isEmpty ? "none" : "crashed(protocol)"))
        }
    }
    #endif
}
