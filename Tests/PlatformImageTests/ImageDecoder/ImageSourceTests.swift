import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Sources in memory: arrays, other collections, and parts.
@Suite(.timeLimit(.minutes(30))) struct ImageSourceTests {
    /// A contiguous collection that counts accesses to its storage and to single elements.
    private struct Counted: Collection, Sendable {
        let bytes: [UInt8]
        let storageCount = Locked(0)
        let elementCount = Locked(0)

        var startIndex: Int { 0 }
        var endIndex: Int { bytes.count }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> UInt8 {
            elementCount.update { $0 += 1 }
            return bytes[index]
        }
        func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
            storageCount.update { $0 += 1 }
            return try bytes.withUnsafeBufferPointer(body)
        }
    }

    private func check(_ bytes: some Collection<UInt8> & Sendable, equal array: [UInt8]) async throws {
        let (decoder, queue) = (ImageDecoder(), DecodeQueue(width: 1))
        let options = [20, 50].map { ThumbnailOptions(width: $0) }
        let image = try decoder.decode(array).bitmap.copyBytes()
        let thumbnails = try decoder.thumbnails(of: array, options: options).map { $0.bitmap.copyBytes() }

        try await check(.bytes(bytes), decoder, queue, header: decoder.header(of: array), image, options, thumbnails)
    }

    private func check(
        _ source: ImageSource, _ decoder: ImageDecoder, _ queue: DecodeQueue, header: ImageHeader, _ image: [UInt8],
        _ options: [ThumbnailOptions], _ thumbnails: [[UInt8]]
    ) async throws {
        #expect(try decoder.header(of: source) == header)
        #expect(try decoder.decode(source).bitmap.copyBytes() == image)
        #expect(try decoder.thumbnail(of: source, options: options[1]).bitmap.copyBytes() == thumbnails[1])
        #expect(try decoder.thumbnails(of: source, options: options).map { $0.bitmap.copyBytes() } == thumbnails)
        var pixels = [UInt8](repeating: 0, count: image.count)
        var span = pixels.mutableSpan
        #expect(try decoder.decode(source, into: &span).header == decoder.decode(source).header)
        #expect(pixels == image)
        let queuedImage = try await queue.decode(source)
        #expect(queuedImage.bitmap.copyBytes() == image)
        let queuedThumbnail = try await queue.thumbnail(of: source, options: options[1])
        #expect(queuedThumbnail.bitmap.copyBytes() == thumbnails[1])
        let queued = try await queue.thumbnails(of: source, options: options)
        #expect(queued.map { $0.bitmap.copyBytes() } == thumbnails)
        let finished = try await queue.thumbnail(of: source, options: options[1]) { $0.bitmap.copyBytes() }
        #expect(finished == thumbnails[1])
    }

    @Test func everyPartitionOfAFileIntoChunksGivesItsBytes() throws {
        let bytes = try Fixture.file("gif/disposal-1.gif")
        let expected = try ImageDecoder().decode(bytes).bitmap
        for size in [1, 2, 7, 100, bytes.count, bytes.count + 1] {
            let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
            #expect(try ImageDecoder().decode(.chunks(chunks)).bitmap == expected, "\(size)")
        }
        let none = #expect(throws: DecodeError.self) { try ImageDecoder().decode(.chunks([[UInt8]]())) }
        #expect(none?.code == .unknownFormat)
    }

    private func pixels(of frames: ImageFrames) throws -> [[UInt8]] {
        var pixels: [[UInt8]] = []
        while let frame = try frames.next() { pixels.append(frame.bitmap.copyBytes()) }
        return pixels
    }

    private func checkFrames(_ bytes: some Collection<UInt8> & Sendable, equal array: [UInt8]) throws {
        let (decoder, options) = (ImageDecoder(), ThumbnailOptions(width: 20))
        let frames = try pixels(of: decoder.frames(of: array))
        let thumbnails = try decoder.thumbnails(ofFramesIn: array, options: options)
        #expect(frames.count > 1)

        #expect(try pixels(of: decoder.frames(of: .bytes(bytes))) == frames)
        let found = try decoder.thumbnails(ofFramesIn: .bytes(bytes), options: options)
        #expect(found.frames.map { $0.bitmap.copyBytes() } == thumbnails.frames.map { $0.bitmap.copyBytes() })
        #expect(found.status == thumbnails.status)
    }

    @Test(arguments: ["demo/orbit.gif", "apng/dispose-restore-blend-over.png"])
    func framesOfOtherCollectionsEqualThoseOfAnArray(_ path: String) throws {
        let bytes = try Fixture.file(path)
        try checkFrames(Data(bytes), equal: bytes)
        try checkFrames(([1, 2] + bytes)[2...], equal: bytes)
        try checkFrames([Array(bytes[..<50]), Array(bytes[50...])].joined(), equal: bytes)
    }

    @Test func framesRemainValidWhenTheCollectionIsReleased() throws {
        let bytes = try Fixture.file("demo/orbit.gif")
        let expected = try pixels(of: ImageDecoder().frames(of: bytes))
        var data = Data(bytes)
        let frames = try ImageDecoder().frames(of: .bytes(data))

        data.resetBytes(in: 0..<data.count)

        #expect(try pixels(of: frames) == expected)
    }

    @Test func bitmapsOfPixelsInOtherCollectionsEqualThoseOfAnArray() throws {
        // Two rows of two pixels, with one byte of padding between the rows.
        let bytes: [UInt8] = [10, 20, 30, 40, 50, 60, 0, 70, 80, 90, 100, 110, 120]
        func bitmap(_ bytes: some Collection<UInt8>) throws(DecodeError) -> Bitmap {
            try Bitmap(width: 2, height: 2, bytes: bytes, layout: .rgb, stride: 7)
        }
        let expected = try Bitmap(width: 2, height: 2, bytes: bytes.span, layout: .rgb, stride: 7)
        #expect(expected[1, 1] == RGBA8(red: 100, green: 110, blue: 120))

        #expect(try Bitmap(width: 2, height: 2, bytes: bytes, layout: .rgb, stride: 7) == expected)
        #expect(try bitmap(Data(bytes)) == expected)
        #expect(try bitmap(([1, 2] + bytes)[2...]) == expected)
        #expect(try bitmap([Array(bytes[..<5]), Array(bytes[5...])].joined()) == expected)
        #expect(try Bitmap(width: 1, height: 1, bytes: [1, 2, 3], layout: .rgb)[0, 0].blue == 3)
    }

    @Test func bitmapOfAContiguousCollectionDoesNotCopyIt() throws {
        let bytes = Counted(bytes: [1, 2, 3, 4])

        let bitmap = try Bitmap(width: 1, height: 1, bytes: bytes, layout: .rgba)

        #expect(bitmap.copyBytes() == [1, 2, 3, 4])
        #expect(bytes.elementCount.value == 0)
    }

    @Test func bitmapOfACollectionWithTooFewBytesThrowsInvalidArgument() {
        let error = #expect(throws: DecodeError.self) {
            try Bitmap(width: 2, height: 2, bytes: Data(count: 15), layout: .rgba)
        }
        #expect(error?.code == .invalidArgument && error?.detail == "bytes")
    }

    @Test func dataGivesTheResultsOfAnArray() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let data = Data(bytes)
        try await check(data, equal: bytes)
        // A slice with other indices.
        try await check(Data([1, 2, 3] + bytes)[3...], equal: bytes)
        try await check(([1, 2] + bytes)[2...], equal: bytes)
        try await check(ContiguousArray(bytes), equal: bytes)
    }

    @Test func collectionsThatAreNotContiguousGiveTheResultsOfAnArray() async throws {
        let bytes = try Fixture.file("demo/window.png")
        let parts = [Array(bytes[..<1000]), Array(bytes[1000...])]
        #expect(parts.joined().withContiguousStorageIfAvailable { _ in true } == nil)
        try await check(parts.joined(), equal: bytes)
        try await check(Array(bytes.reversed()).reversed() as ReversedCollection<[UInt8]>, equal: bytes)
    }

    @Test func contiguousCollectionsAreNotCopied() async throws {
        let bytes = Counted(bytes: try Fixture.file("demo/mountains.jpg"))

        _ = try ImageDecoder().decode(.bytes(bytes))
        _ = try await DecodeQueue(width: 1).thumbnail(of: .bytes(bytes), options: ThumbnailOptions(width: 20))

        #expect(bytes.elementCount.value == 0)
        #expect(bytes.storageCount.value > 0)
    }

    @Test func errorsAreThoseOfAnArray() async {
        let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(.bytes(Data([1, 2, 3]))) }
        #expect(error?.code == .unknownFormat)
        let queued = await #expect(throws: DecodeError.self) {
            try await DecodeQueue(width: 1).thumbnail(of: .bytes(Data()), options: ThumbnailOptions(width: 0))
        }
        #expect(queued?.code == .unknownFormat)
    }

    /// The caller releases its reference while the job waits for the only thread.
    @Test func queueRetainsTheCollectionUntilTheDecodeEnds() async throws {
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        async let blocker: Void = queue.run { _ in gate.pass() }
        await gate.waitUntilEntered()
        let bytes = try Fixture.file("demo/window.png")

        let task = Task { try await queue.decode(.bytes(Data(bytes))).bitmap.copyBytes() }
        await yieldUntil { queue.waitingCount == 1 }
        gate.open()

        let pixels = try await task.value
        #expect(try pixels == ImageDecoder().decode(bytes).bitmap.copyBytes())
        try await blocker
    }
}
