#if os(Linux)
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Requests whose first message permits their output, so that the worker does not announce it.
@Suite struct PermittedOutputTests {
    private static let size = fitted(.fill, width: 40, height: 30)

    private static func fitted(
        _ fit: ThumbnailFit, width: Int = 300, height: Int = 200, isPadded: Bool = false, background: RGBA8? = nil
    ) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height, fit: fit)
        options.allowsUpscaling = true
        options.padsToBox = isPadded
        options.background = background
        return options
    }

    @Test func outputThatFitsIsMadeWithoutAnAnnouncement() throws {
        let single = try SingleWorker()
        let bytes = try Fixture.file("jpeg/exif-orientation-1.jpg")
        for operation in [
            WorkerOperation.images(.thumbnail(Self.size)), .images(.thumbnailsByPlan([Self.size, Self.size])),
        ] {
            let permitted = try #require(operation.expectedOutputBytes)
            let request = try single.worker.send(operation, bytes.span, of: single.decoder, outputBytes: permitted)
            guard case .finished(request.number, .images(let images, let positions, 1)) = try single.receive(request)
            else {
                Issue.record("the worker has not finished")
                return
            }
            #expect(images.allSatisfy { $0.place.width == 40 && $0.place.height == 30 })
            #expect(try positions.map { try $0.get() } == Array(positions.indices))
        }
    }

    @Test func outputThatIsTooLargeByOneByteIsAnnounced() throws {
        let single = try SingleWorker()
        let bytes = try Fixture.file("jpeg/exif-orientation-1.jpg")
        let operation = WorkerOperation.images(.thumbnail(Self.size))
        let needed = 40 * 30 * 4 + 64
        #expect(operation.expectedOutputBytes == needed)
        let request = try single.worker.send(operation, bytes.span, of: single.decoder, outputBytes: needed - 1)
        guard case .measured(request.number, _, needed) = try single.receive(request) else {
            Issue.record("the worker has not announced its output")
            return
        }
        _ = try single.worker.proceed(request, outputBytes: needed, nil)
        guard case .finished(request.number, .images) = try single.receive(request) else {
            Issue.record("no image")
            return
        }
    }

    @Test(
        arguments: [
            (ThumbnailOptions(width: 1, height: 1), 4 + 64),
            (ThumbnailOptions(width: 1024, height: 1024), (4 << 20) + 64),
            (ThumbnailOptions(width: 2048, height: 2047), 2048 * 2047 * 4 + 64),
            (ThumbnailOptions(width: 2048, height: 2048), nil), (ThumbnailOptions(width: 5), nil),
            (ThumbnailOptions(height: 5), nil), (ThumbnailOptions(), nil), (ThumbnailOptions(width: 0, height: 1), nil),
            (ThumbnailOptions(width: -1, height: -1), nil), (ThumbnailOptions(width: .max, height: .max), nil),
            (ThumbnailOptions(width: .max, height: 2), nil),
        ] as [(ThumbnailOptions, Int?)])
    func expectedOutputIsThatOfTheRequestedSizeUpTo16MiB(_ options: ThumbnailOptions, _ byteCount: Int?) {
        #expect(WorkerOperation.images(.thumbnail(options)).expectedOutputBytes == byteCount)
        #expect(WorkerOperation.images(.thumbnailsByPlan([options])).expectedOutputBytes == byteCount)
        let several = WorkerOperation.images(
            .thumbnails([options, options, options, options, options], isComplete: true))
        #expect(several.expectedOutputBytes == byteCount.flatMap { $0 * 5 <= 16 << 20 ? $0 * 5 : nil })
    }

    @Test(arguments: [
        WorkerOperation.header, .iccProfile, .sourceProfile, .metadata, .frameInfos, .thumbnailCost(size), .decodeCost,
        .images(.decode), .frames,
    ])
    func operationsOfUnknownSizeHaveNoExpectedOutput(_ operation: WorkerOperation) {
        #expect(operation.expectedOutputBytes == nil)
    }

    /// Oriented, padded and composited thumbnails are copied; the others are made in the slab.
    @Test(
        arguments: [
            fitted(.fill), fitted(.contain), fitted(.cover), fitted(.contain, isPadded: true),
            fitted(.fill, background: RGBA8(red: 9, green: 8, blue: 7, alpha: 255)),
        ], ["jpeg/exif-orientation-1.jpg", "jpeg/exif-orientation-6.jpg", "png/rgba8.png", "gif/disposal-1.gif"])
    func thumbnailsEqualThoseInProcess(_ options: ThumbnailOptions, _ path: String) throws {
        let single = try SingleWorker()
        var isolated = ImageDecoder()
        isolated.isolation = DecodeIsolation(single.workers)
        let bytes = try Fixture.file(path)
        let local = try ImageDecoder().thumbnail(of: bytes, options: options)
        for _ in 0..<2 {
            let result = try isolated.thumbnail(of: bytes, options: options)
            #expect(result.bitmap == local.bitmap && result.header == local.header && result.status == local.status)
            let group = try isolated.thumbnailsGroupedByPlan(of: bytes, options: [options])
            #expect(group.images.map(\.bitmap) == [local.bitmap])
        }
    }
}
#endif
