import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Several thumbnails of one file as one job of a decode queue.
@Suite(.timeLimit(.minutes(30))) struct DecodeQueueThumbnailsTests {
    private static let options = [30, 60, 200].map { ThumbnailOptions(width: $0, height: $0) }

    @Test func thumbnailsEqualThoseOfTheDecoderAndReserveTheMemoryOfAll() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let expected = try ImageDecoder().thumbnails(of: bytes, options: Self.options)
        let queue = DecodeQueue(width: 2)

        let images = try await queue.thumbnails(of: bytes, options: Self.options)

        #expect(images.map { $0.bitmap.copyBytes() } == expected.map { $0.bitmap.copyBytes() })
        #expect(queue.budget.peakGrantedBytes >= images.reduce(0) { $0 + $1.bitmap.byteCount })
        #expect(queue.budget.grantedBytes == 0)
    }

    @Test func finishIsCalledWithAResultForEachThumbnailWhileTheMemoryIsReserved() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let queue = DecodeQueue(width: 1)
        let budget = queue.budget

        let (granted, made, duration) = try await queue.thumbnails(
            of: bytes, options: [ThumbnailOptions(width: 0)] + Self.options, with: ImageDecoder(), priority: .high,
            timed: { made, duration in (budget.grantedBytes, made, duration) })

        #expect(granted > 0 && budget.grantedBytes == 0)
        #expect(made.decodeCount == 1)
        #expect(duration > .zero)
        #expect(made.results.map { (try? $0.get())?.bitmap.width } == [nil, 30, 60, 200])
    }

    @Test func whenNoThumbnailCanBeMadeFinishReceivesTheErrors() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let bad = [ThumbnailOptions(width: 0), ThumbnailOptions(height: -1)]

        let made = try await DecodeQueue(width: 1).thumbnails(
            of: bytes, options: bad, with: ImageDecoder(), priority: .normal, finish: { $0 })

        #expect(made.decodeCount == 0)
        for result in made.results {
            let error = #expect(throws: DecodeError.self) { try result.get() }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func bytesWithoutAHeaderThrow() async {
        let error = await #expect(throws: DecodeError.self) {
            try await DecodeQueue(width: 1).thumbnails(of: [1, 2, 3], options: Self.options)
        }
        #expect(error?.code == .unknownFormat)
    }

    @Test func noOptionsGiveNoThumbnails() async throws {
        let images = try await DecodeQueue(width: 1).thumbnails(of: Fixture.file("demo/window.png"), options: [])
        #expect(images.isEmpty)
    }

    @Test func cancellingAWaitingJobThrowsCancelledAndReservesNothing() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let queue = DecodeQueue(width: 1)
        let gate = QueueGate()
        async let blocker: Void = queue.run { _ in gate.pass() }
        await gate.waitUntilEntered()

        let task = Task { try await queue.thumbnails(of: bytes, options: Self.options) }
        await yieldUntil { queue.waitingCount == 1 }
        task.cancel()
        let result = await task.result

        let error = #expect(throws: DecodeError.self) { try result.get() }
        #expect(error?.code == .cancelled)
        gate.open()
        _ = try await blocker
        #expect(queue.budget.peakGrantedBytes == 0)
    }
}
