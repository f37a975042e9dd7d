import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Operations in workers have the results of the same operations in the calling process.
@Suite struct IsolatedDecoderTests {
    private static let workers = try? TestWorkers.start()

    /// The decoder in this process and the decoder with workers.
    private func decoders(_ options: DecodeOptions = DecodeOptions()) throws -> (local: ImageDecoder, ImageDecoder) {
        let local = ImageDecoder(options: options)
        var isolated = local
        isolated.isolation = DecodeIsolation(try #require(Self.workers))
        return (local, isolated)
    }

    @Test(arguments: Fixture.all)
    func headerAndPixelsOfEachFixtureEqualThoseInProcess(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let type = fixture.contentType.flatMap(ContentType.init)
        for options in [DecodeOptions(), .asStored, .strict] {
            let (local, isolated) = try decoders(options)
            #expect(
                DecodeRecord { () throws(DecodeError) in try isolated.decode(bytes, as: type) }
                    == DecodeRecord { () throws(DecodeError) in try local.decode(bytes, as: type) })
        }
        let (local, isolated) = try decoders()
        #expect(
            resultText { try isolated.header(of: bytes, as: type) }
                == resultText { try local.header(of: bytes, as: type) })
        #expect(resultText { try isolated.iccProfile(of: bytes) } == resultText { try local.iccProfile(of: bytes) })
        #expect(resultText { try isolated.frameInfos(of: bytes) } == resultText { try local.frameInfos(of: bytes) })
        #expect(resultText { try isolated.metadata(of: bytes) } == resultText { try local.metadata(of: bytes) })
        #expect(resultText { try isolated.exif(of: bytes) } == resultText { try local.exif(of: bytes) })
    }

    @Test(arguments: Fixture.all)
    func thumbnailsOfEachFixtureEqualThoseInProcess(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let (local, isolated) = try decoders()
        var sizes = [ThumbnailOptions(width: 32, height: 32), ThumbnailOptions(width: 90, height: 60, fit: .cover)]
        sizes[0].padsToBox = true
        sizes[1].quality = .draft
        for size in sizes {
            #expect(
                DecodeRecord { () throws(DecodeError) in try isolated.thumbnail(of: bytes, options: size) }
                    == DecodeRecord { () throws(DecodeError) in try local.thumbnail(of: bytes, options: size) })
        }
        sizes.append(sizes[0])
        #expect(
            resultText { try isolated.thumbnails(of: bytes, options: sizes).map(\.comparable) }
                == resultText { try local.thumbnails(of: bytes, options: sizes).map(\.comparable) })
        #expect(
            resultText { try isolated.thumbnailsGroupedByPlan(of: bytes, options: sizes).images.map(\.comparable) }
                == resultText {
                    try local.thumbnailsGroupedByPlan(of: bytes, options: sizes).images.map(\.comparable)
                })
        #expect(
            resultText { try isolated.thumbnailCost(of: bytes, options: sizes[0]).plan }
                == resultText { try local.thumbnailCost(of: bytes, options: sizes[0]).plan })
        if let cost = try? local.thumbnailCost(of: bytes, options: sizes[0]) {
            // The pixels are in shared memory and in this process.
            let isolatedCost = try isolated.thumbnailCost(of: bytes, options: sizes[0])
            #expect(isolatedCost.byteCount >= cost.byteCount + 32 * 32 * 4)
        }
    }

    @Test(arguments: Fixture.all.filter { $0.animation != nil || ($0.frames ?? 1) > 1 })
    func framesOfEachAnimationEqualThoseInProcess(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let (local, isolated) = try decoders()
        let expected = try local.frames(of: bytes)
        let frames = try isolated.frames(of: bytes)
        #expect(frames.header == expected.header)
        for _ in 0..<2000 {
            let info = Result { () throws(DecodeError) in try frames.advance() }
            let expectedInfo = Result { () throws(DecodeError) in try expected.advance() }
            #expect(info == expectedInfo)
            #expect(frames.status == expected.status)
            #expect(resultText { try frames.composed().hash } == resultText { try expected.composed().hash })
            #expect(resultText { try frames.raw()?.hash } == resultText { try expected.raw()?.hash })
            guard case .success(.some) = expectedInfo else { break }
        }
    }

    @Test func queueWithWorkersReturnsThePixelsOfEveryMethod() async throws {
        let queue = DecodeQueue(width: 2)
        let (local, isolated) = try decoders()
        let bytes = try Fixture.file("demo/mountains.jpg")
        let size = ThumbnailOptions(width: 64, height: 64)
        let expected = try local.decode(bytes).comparable
        let thumbnail = try local.thumbnail(of: bytes, options: size).comparable

        #expect(try await queue.decode(bytes, with: isolated).comparable == expected)
        #expect(try await queue.thumbnail(of: bytes, options: size, with: isolated).comparable == thumbnail)
        let both = try await queue.thumbnails(of: bytes, options: [size, size], with: isolated)
        #expect(both.map(\.comparable) == [thumbnail, thumbnail])
        let path = Fixture.folder.appending(path: "demo/mountains.jpg").path()
        #expect(try await queue.decode(.file(path), with: isolated).comparable == expected)
        #expect(
            try await queue.thumbnail(of: .file(path), options: size, with: isolated).comparable == thumbnail)
        #expect(queue.budget.grantedBytes == 0)
    }

    @Test func decodeIntoABufferWritesThePixelsOfTheDecodeInProcess() throws {
        let (local, isolated) = try decoders()
        let bytes = try Fixture.file("demo/window.png")
        for layout in [PixelLayout.rgba, .bgra] {
            var buffers = [[UInt8](repeating: 7, count: 1_300_000), [UInt8](repeating: 7, count: 1_300_000)]
            for (index, decoder) in [local, isolated].enumerated() {
                var span = buffers[index].mutableSpan
                _ = try decoder.decode(bytes, into: &span, layout: layout, stride: 2700)
            }
            #expect(buffers[0] == buffers[1])
        }
    }

    @Test func cancelledDecodeThrowsCancelledAndTheNextDecodeSucceeds() throws {
        let (local, isolated) = try decoders()
        let bytes = try Fixture.file("demo/mountains.jpg")
        let flag = CancellationFlag()
        flag.cancel()
        #expect(throws: DecodeError(.cancelled, "")) {
            try isolated.decode(bytes, cancellation: flag)
        }
        #expect(try isolated.decode(bytes).comparable == local.decode(bytes).comparable)
    }

    @Test func passedDeadlineThrowsLimitExceededWithTheDetailDeadline() throws {
        let (_, isolated) = try decoders()
        let flag = CancellationFlag()
        flag.setDeadline(.now)
        let error = #expect(throws: DecodeError.self) {
            try isolated.decode(try Fixture.file("demo/mountains.jpg"), cancellation: flag)
        }
        #expect(error?.code == .limitExceeded && error?.detail == "deadline")
    }
}

/// The comparable parts of a decode.
struct DecodeRecord: Equatable {
    let bitmap: Bitmap?
    let header: ImageHeader?
    let status: DecodeStatus?
    let error: String?

    init(_ decode: () throws(DecodeError) -> DecodedImage) {
        do throws(DecodeError) {
            let image = try decode()
            (bitmap, header, status, error) = (image.bitmap, image.header, image.status, nil)
        } catch {
            (bitmap, header, status) = (nil, nil, nil)
            self.error = "\(error) \(String(describing: error.format))"
        }
    }
}

extension DecodedImage {
    fileprivate var comparable: String { "\(bitmap.hash) \(header) \(status)" }
}

extension Bitmap {
    /// Size and a hash of the pixels.
    fileprivate var hash: String {
        var hasher = Hasher()
        hasher.combine(copyBytes())
        return "\(width) x \(height): \(hasher.finalize())"
    }
}

/// The description of a result or of an error.
private func resultText<Value>(_ body: () throws -> Value) -> String {
    do {
        return "\(try body())"
    } catch {
        return "\(error)"
    }
}
