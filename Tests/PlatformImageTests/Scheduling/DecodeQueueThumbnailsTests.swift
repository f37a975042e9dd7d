import PlatformImageTestSupport
import Synchronization
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

    @Test func sizesAreRequestedOnceAndEachHasItsResultWhileTheMemoryIsReserved() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let queue = DecodeQueue(width: 1)
        let budget = queue.budget
        let sizes = [ThumbnailOptions(width: 0)] + Self.options
        let requests = Mutex(0)
        let granted = Mutex<[Int]>([])

        let made = await queue.thumbnails(
            of: bytes, with: ImageDecoder(), priority: .high,
            sizes: {
                requests.withLock { $0 += 1 }
                return sizes
            },
            time: { duration in
                #expect(duration > .zero)
                granted.withLock { $0.append(budget.grantedBytes) }
            })

        #expect(requests.withLock { $0 } == 1)
        #expect(granted.withLock { $0.map { $0 > 0 } } == [true])
        #expect(budget.grantedBytes == 0)
        #expect(made.map(\.size) == sizes)
        #expect(made.map { (try? $0.result.get())?.bitmap.width } == [nil, 30, 60, 200])
    }

    @Test func whenNoThumbnailCanBeMadeEachSizeHasItsErrorAndNothingIsDecoded() async throws {
        let bytes = try Fixture.file("demo/mountains.jpg")
        let bad = [ThumbnailOptions(width: 0), ThumbnailOptions(height: -1)]

        let made = await DecodeQueue(width: 1).thumbnails(
            of: bytes, with: ImageDecoder(), priority: .normal, sizes: { bad },
            time: { _ in Issue.record("nothing is decoded") })

        #expect(made.map(\.size) == bad)
        for (_, result) in made {
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
