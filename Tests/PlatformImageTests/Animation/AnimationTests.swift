import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct AnimationTests {
    private static let animations = Fixture.all.filter { $0.animation != nil }

    @Test(arguments: animations)
    func composedFramesOfEveryAnimationFixtureHaveTheReferencePixelsAndDelays(_ fixture: Fixture) throws {
        let animation = try #require(fixture.animation)
        let expected = animation.frames
        let frames = try ImageDecoder(options: .asStored).frames(of: fixture.load())

        var found: [AnimationFrame] = []
        while let frame = try frames.next() { found.append(frame) }

        #expect(found.count == expected.count)
        // The number in a GIF counts the plays after the first one.
        let plays = animation.loopCount.map { fixture.format == "gif" && $0 > 0 ? $0 + 1 : $0 }
        #expect(frames.header.loopCount == plays)
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
    func composedBitmapOfAFullyReadUndamagedAnimationEqualsItsLastFrame(_ fixture: Fixture) throws {
        let frames = try ImageDecoder(options: .asStored).frames(of: fixture.load())
        var last: Bitmap?
        while let frame = try frames.next() { last = frame.bitmap }

        // A damaged frame may have drawn some pixels before its damage was detected.
        if frames.status == .complete { #expect(try frames.composed().digest == last?.digest) }
    }

    @Test(arguments: animations)
    func readingAFrameBeyondMaxFramesThrows(_ fixture: Fixture) throws {
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

    /// A canvas of 200 x 200 pixels whose frames of 1 x 1 pixel all have the disposal method "restore to previous".
    private static let undoing: [UInt8] = {
        let frame: [UInt8] =
            [0x21, 0xF9, 4, 3 << 2, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0] + [2, 2, 0x44, 1, 0]
        return Array("GIF89a".utf8) + [200, 0, 200, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255] + frame + frame + frame
            + [0x3B]
    }()

    @Test func disposalCopyOfTheCanvasCountsTowardsMaxMemory() throws {
        var decoder = ImageDecoder(options: .asStored)
        decoder.options.limits.maxMemory = 200 * 200 * 4 * 3 / 2 + (try decoder.header(of: Self.undoing)).workByteCount
        let frames = try decoder.frames(of: Self.undoing)

        _ = try frames.next()
        let error = #expect(throws: DecodeError.self) { while try frames.next() != nil {} }

        #expect(error?.detail == "maxMemory")
    }

    @Test func decodingLaterFramesDoesNotChangeEarlierBitmaps() throws {
        let fixture = try #require(Self.animations.first { ($0.animation?.frames.count ?? 0) > 3 })
        let frames = try ImageDecoder(options: .asStored).frames(of: fixture.load())
        var kept: [AnimationFrame] = []
        while let frame = try frames.next() { kept.append(frame) }

        #expect(kept.map(\.bitmap.digest) == fixture.animation?.frames.map(\.pixels))
    }

    @Test(arguments: animations)
    func frameInfosReadWithoutDecodingEqualTheInfosOfDecodedFrames(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = ImageDecoder(options: .asStored)
        let infos = try decoder.frameInfos(of: bytes)
        let frames = try decoder.frames(of: bytes)
        var found: [FrameInfo] = []
        while let info = try frames.advance() { found.append(info) }

        // A frame whose data is damaged is listed but not composed.
        #expect(Array(infos.prefix(found.count)) == found)
    }

    @Test(arguments: animations)
    func rawFrameHasTheSizeOfTheFrameRectangle(_ fixture: Fixture) throws {
        let frames = try ImageDecoder(options: .asStored).frames(of: fixture.load())
        #expect(try frames.raw() == nil)
        while let info = try frames.advance() {
            guard let raw = try frames.raw() else {
                #expect(info.width == 0 || info.height == 0)
                continue
            }
            #expect(raw.width == info.width && raw.height == info.height)
            guard info.index == 0, info.x == 0, info.y == 0, raw.width == frames.header.width else { continue }
            guard raw.height == frames.header.height else { continue }
            #expect(raw.digest == (try frames.composed().digest))
        }
    }

    @Test func stillImageYieldsExactlyOneFrame() throws {
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
    func playbackKeepsAtMostThreeCanvasesInMemory(_ fixture: Fixture) async throws {
        // Measured in a child process, because other tests run concurrently.
        let path = fixture.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let bytes = try Fixture.file(path)
            let frames = try ImageDecoder(options: .asStored).frames(of: bytes)
            let canvas = frames.header.decodedByteCount
            while try frames.next() != nil { precondition(Bitmap.liveBitmapBytes <= 3 * canvas) }
        }
    }
}
