import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct CancelTests {
    /// Cancels the decode of each small fixture at every poll of the cancellation flag.
    @Test(arguments: Fixture.small(4096))
    func cancellingAtAnyPollThrowsCancelled(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = ImageDecoder()
        let counter = CancellationFlag()
        _ = try decoder.decode(bytes, cancellation: counter)

        for polls in 0..<counter.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) { try decoder.decode(bytes, cancellation: flag) }
            #expect(error?.code == .cancelled, "\(fixture) at poll \(polls)")
        }
    }

    @Test func everyFormatPollsTheCancellationFlagAtLeastEverySixteenRows() throws {
        for fixture in Fixture.all where fixture.expect.error == nil && fixture.path.hasPrefix("demo/") {
            let flag = CancellationFlag()
            let image = try ImageDecoder(options: .asStored).decode(fixture.load(), cancellation: flag)
            #expect(flag.pollCount >= image.bitmap.height / 16, "\(fixture): \(flag.pollCount) polls")
        }
    }

    @Test func expiredDeadlineThrowsLimitExceeded() throws {
        let fixture = try #require(Fixture.all.first { $0.path.hasPrefix("demo/") && $0.format == "png" })
        let flag = CancellationFlag()
        flag.setDeadline(.now - .seconds(1))

        let bytes = try fixture.load()
        let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes, cancellation: flag) }

        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "deadline")
    }

    @Test func distantDeadlineDoesNotEndTheDecode() throws {
        let fixture = try #require(Fixture.small().first)
        let flag = CancellationFlag()
        flag.setDeadline(.now + .seconds(Int64.max / 4))

        _ = try ImageDecoder().decode(fixture.load(), cancellation: flag)
    }

    @Test func readingAHeaderWithACancelledFlagThrowsCancelled() throws {
        let fixture = try Fixture.named("gif/frames-3000.gif")
        let flag = CancellationFlag()
        flag.cancel()

        let bytes = try fixture.load()
        let error = #expect(throws: DecodeError.self) { try ImageDecoder().header(of: bytes, cancellation: flag) }

        #expect(error?.code == .cancelled)
    }

    @Test func decodingWithAFlagThatIsNotCancelledDoesNotChangePixels() throws {
        for fixture in Fixture.small(600) {
            let bytes = try fixture.load()
            let plain = try ImageDecoder().decode(bytes)
            let flagged = try ImageDecoder().decode(bytes, cancellation: CancellationFlag())
            #expect(plain.bitmap.digest == flagged.bitmap.digest, "\(fixture)")
        }
    }
}
