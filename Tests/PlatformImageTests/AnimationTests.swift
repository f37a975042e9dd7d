import PlatformImage
import TestSupport
import Testing

@Suite struct AnimationTests {
    private static let animations = Fixture.all.filter { $0.animation != nil }

    @Test(arguments: animations)
    func everyComposedFrameHasTheExpectedPixelsAndDelay(_ fixture: Fixture) throws {
        let animation = try #require(fixture.animation)
        let expected = animation.frames
        let frames = try ImageDecoder(options: .asStored).frames(of: fixture.load())

        var found: [AnimationFrame] = []
        while let frame = try frames.next() { found.append(frame) }

        #expect(found.count == expected.count)
        #expect(frames.header.loopCount == animation.loopCount)
        switch (animation.status ?? "complete", frames.status) {
        case ("complete", .complete), ("corrupt", .corrupt), ("truncated", .truncated): break
        case (let wanted, let actual): Issue.record("expected \(wanted), got \(actual)")
        }
        for (frame, wanted) in zip(found, expected) {
            #expect(frame.bitmap.digest == wanted.pixels, "frame \(frame.info.index)")
            #expect([frame.info.delay.numerator, frame.info.delay.denominator] == wanted.delay)
        }
    }

    @Test(arguments: animations)
    func theLastFrameStaysOnTheCanvasAfterTheEnd(_ fixture: Fixture) throws {
        let frames = try ImageDecoder(options: .asStored).frames(of: fixture.load())
        var last: Bitmap?
        while let frame = try frames.next() { last = frame.bitmap }

        // A refused frame may have drawn a part before it was found out.
        if frames.status == .complete { #expect(try frames.composed().digest == last?.digest) }
    }

    @Test(arguments: animations)
    func aFrameLimitStillGivesTheFramesBelowIt(_ fixture: Fixture) throws {
        let count = try #require(fixture.animation).frames.count
        for limit in 1..<max(2, count) where limit < count {
            var decoder = ImageDecoder(options: .asStored)
            decoder.options.limits.maxFrames = limit
            let frames = try decoder.frames(of: fixture.load())

            for _ in 0..<limit { #expect(try frames.next() != nil) }
            let error = #expect(throws: DecodeError.self) { try frames.next() }
            #expect(error?.detail == "maxFrames")
        }
    }

    @Test func aPictureWithoutAnimationIsOneFrame() throws {
        for fixture in Fixture.small().filter({ $0.frames == 1 && $0.animation == nil && $0.status == nil }).prefix(60)
        {
            let decoder = ImageDecoder()
            let frames = try decoder.frames(of: fixture.load())

            let only = try frames.next()

            #expect(only?.bitmap.digest == (try decoder.decode(fixture.load()).bitmap.digest), "\(fixture)")
            #expect(try frames.next() == nil)
        }
    }

    @Test(arguments: animations)
    func noMoreThanTwoCanvasesAndOneFrameAreAlive(_ fixture: Fixture) async throws {
        // Counted in a child process: other tests run beside this one.
        let path = fixture.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let bytes = try Fixture.file(path)
            let frames = try ImageDecoder(options: .asStored).frames(of: bytes)
            let canvas = frames.header.decodedByteCount
            while try frames.next() != nil { precondition(Bitmap.liveBitmapBytes <= 3 * canvas) }
        }
    }
}
