import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Decoding files by path.
@Suite(.timeLimit(.minutes(30))) struct InputFileTests {
    /// 1.7 MB, more than the size from which files are mapped.
    static let large = BMPFile(
        width: 800, height: 700, pixels: (0..<800 * 700 * 3).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
    ).bytes

    private func error(_ path: String, _ options: DecodeOptions = DecodeOptions()) -> DecodeError? {
        #expect(throws: DecodeError.self) { try ImageDecoder(options: options).decode(.file(path)) }
    }

    @Test(arguments: [true, false]) func decodesOfFilesEqualThoseOfBytes(_ isLarge: Bool) async throws {
        let bytes = try isLarge ? Self.large : Fixture.file("demo/mountains.jpg")
        let file = try TemporaryFile(bytes)
        defer { file.remove() }
        let (decoder, queue) = (ImageDecoder(), DecodeQueue(width: 1))
        let options = [30, 90].map { ThumbnailOptions(width: $0) }
        let image = try decoder.decode(bytes).bitmap.copyBytes()
        let thumbnails = try decoder.thumbnails(of: bytes, options: options).map { $0.bitmap.copyBytes() }
        let thumbnail = try decoder.thumbnail(of: bytes, options: options[0]).bitmap.copyBytes()

        for mapsFile in [true, false] {
            #expect(try decoder.header(of: .file(file.path, mapsFile: mapsFile)) == decoder.header(of: bytes))
            #expect(try decoder.decode(.file(file.path, mapsFile: mapsFile)).bitmap.copyBytes() == image)
            let small = try decoder.thumbnail(of: .file(file.path, mapsFile: mapsFile), options: options[0])
            #expect(small.bitmap.copyBytes() == thumbnail)
            let several = try decoder.thumbnails(of: .file(file.path, mapsFile: mapsFile), options: options)
            #expect(several.map { $0.bitmap.copyBytes() } == thumbnails)

            let queued = try await queue.decode(.file(file.path, mapsFile: mapsFile))
            #expect(queued.bitmap.copyBytes() == image)
            let queuedSmall = try await queue.thumbnail(
                of: .file(file.path, mapsFile: mapsFile), options: options[0])
            #expect(queuedSmall.bitmap.copyBytes() == thumbnail)
            let queuedSeveral = try await queue.thumbnails(
                of: .file(file.path, mapsFile: mapsFile), options: options)
            #expect(queuedSeveral.map { $0.bitmap.copyBytes() } == thumbnails)
        }
        #expect(queue.budget.grantedBytes == 0)
    }

    @Test func fileWhoseNameIsNotUTF8IsDecoded() throws {
        let bytes = try Fixture.file("demo/window.png")
        let file = try TemporaryFile(bytes)
        defer { file.remove() }
        let path = Array(file.folder.path.utf8) + Array("/".utf8) + [0xFF, 0xFE, 0x80]
        try #require(rename(file.path, path.map { CChar(bitPattern: $0) } + [0]) == 0)

        #expect(try ImageDecoder().decode(.file(pathBytes: path)).bitmap == ImageDecoder().decode(bytes).bitmap)

        let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(.file(pathBytes: path + [0x80])) }
        #expect(error?.code == .fileUnreadable && error?.detail == "notFound")
    }

    /// The position of the descriptor is at the end of the file before and after the calls.
    @Test(arguments: [true, false], [true, false])
    func descriptorIsReadFromTheFirstByteAndStaysOpen(_ isLarge: Bool, _ mapsFile: Bool) async throws {
        let bytes = try isLarge ? Self.large : Fixture.file("demo/mountains.jpg")
        let file = try TemporaryFile(bytes)
        defer { file.remove() }
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        let expected = try ImageDecoder().decode(bytes).bitmap
        let source = ImageSource.descriptor(descriptor, mapsFile: mapsFile)

        #expect(try ImageDecoder().decode(source).bitmap == expected)
        #expect(try ImageDecoder().frames(of: source).next()?.bitmap == expected)
        let queued = try await DecodeQueue(width: 1).decode(source)
        #expect(queued.bitmap == expected)
        #expect(lseek(descriptor, 0, SEEK_CUR) == end)
    }

    @Test func descriptorsThatCannotBeReadThrowFileUnreadable() throws {
        let file = try TemporaryFile(try Fixture.file("demo/window.png"))
        defer { file.remove() }
        func error(_ descriptor: Int32) -> DecodeError? {
            defer { if descriptor >= 0 { close(descriptor) } }
            return #expect(throws: DecodeError.self) { try ImageDecoder().decode(.descriptor(descriptor)) }
        }
        for (descriptor, detail) in [
            (-1, "system"), (.max, "system"), (open(file.path, O_WRONLY), "system"),
            (open(file.folder.path, O_RDONLY), "notRegularFile"), (open("/dev/null", O_RDONLY), "notRegularFile"),
        ] as [(Int32, String)] {
            let error = error(descriptor)
            #expect(error?.code == .fileUnreadable && error?.detail == detail, "\(descriptor): \(error as Any)")
        }
    }

    @Test func framesOfAFileAreThoseOfItsBytesAlsoAfterTheFileChanged() throws {
        func pixels(of frames: ImageFrames) throws -> [[UInt8]] {
            var pixels: [[UInt8]] = []
            while let frame = try frames.next() { pixels.append(frame.bitmap.copyBytes()) }
            return pixels
        }
        for bytes in [Self.large, try Fixture.file("demo/orbit.gif")] {
            let expected = try pixels(of: ImageDecoder().frames(of: bytes))
            let file = try TemporaryFile(bytes)
            defer { file.remove() }
            let frames = try ImageDecoder().frames(of: .file(file.path))

            file.truncate(to: 10)

            #expect(try pixels(of: frames) == expected)
        }
    }

    /// In a process of its own, whose peak memory no other test changes.
    @Test func framesOfAFileContainItsBytesOnce() async {
        await #expect(processExitsWith: .success) {
            let size = 64 << 20
            let file = try TemporaryFile(try Fixture.file("demo/orbit.gif"))
            defer { file.remove() }
            file.truncate(to: size)
            let before = ResidentMemory.peakBytes

            let frames = try ImageDecoder().frames(of: .file(file.path))

            precondition(frames.header.format == .gif)
            precondition(ResidentMemory.peakBytes - before < size * 3 / 2)
        }
    }

    @Test func framesOfAFileThrowTheErrorsOfOtherCalls() throws {
        let file = try TemporaryFile(Self.large)
        defer { file.remove() }
        var options = DecodeOptions()
        options.limits.maxInputBytes = Self.large.count - 1
        let flag = CancellationFlag()
        flag.cancel()
        let calls: [(DecodeError.Code, () throws -> ImageFrames)] = [
            (.fileUnreadable, { try ImageDecoder().frames(of: .file(file.path + "-missing")) }),
            (.limitExceeded, { try ImageDecoder(options: options).frames(of: .file(file.path)) }),
            (.cancelled, { try ImageDecoder().frames(of: .file(file.path), cancellation: flag) }),
        ]
        for (code, call) in calls {
            let error = #expect(throws: DecodeError.self) { try call() }
            #expect(error?.code == code)
        }
    }

    @Test func filesFrom1MiBOnAreMappedUnlessTheCallerForbidsIt() throws {
        let limit = InputFile.mappedFrom
        for (count, mapsFile, memory) in [(limit - 1, true, limit - 1), (limit, true, 0), (limit, false, limit)] {
            let file = try TemporaryFile((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            defer { file.remove() }

            let found = try InputFile.withBytes(
                of: .path(Array(file.path.utf8)), limits: DecodeLimits(), mapsFile: mapsFile, flag: nil
            ) { (bytes, memory) throws(DecodeError) in (bytes.count, bytes[count - 1], memory) }

            #expect(found == (count, UInt8(truncatingIfNeeded: (count - 1) &* 31), memory))
        }
    }

    @Test func bytesReadIntoMemoryCountForTheBudgetAndMappedOnesDoNot() async throws {
        let file = try TemporaryFile(Self.large)
        defer { file.remove() }
        let (mapped, read) = (DecodeQueue(width: 1), DecodeQueue(width: 1))

        _ = try await mapped.decode(.file(file.path))
        _ = try await read.decode(.file(file.path, mapsFile: false))

        #expect(read.budget.peakGrantedBytes - mapped.budget.peakGrantedBytes == Self.large.count)
    }

    /// The content is no image: a job that read it before the reservation would throw `unknownFormat`.
    @Test func queueReservesTheSizeOfAFileBeforeItReadsIt() async throws {
        let file = try TemporaryFile([UInt8](repeating: 7, count: 2 << 20))
        defer { file.remove() }
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: (2 << 20) - 1))

        let tooLarge = await #expect(throws: DecodeError.self) {
            try await queue.decode(.file(file.path, mapsFile: false))
        }
        let mapped = await #expect(throws: DecodeError.self) { try await queue.decode(.file(file.path)) }

        #expect(tooLarge?.code == .limitExceeded && tooLarge?.detail == "decodeBudget")
        #expect(mapped?.code == .unknownFormat)
        #expect(queue.budget.peakGrantedBytes == 0)
    }

    /// Each job needs more than half of the budget in its second reservation.
    @Test func jobsThatReadFilesShareABudgetThatIsSufficientForOneOfThem() async throws {
        let file = try TemporaryFile(Self.large)
        defer { file.remove() }
        let single = DecodeQueue(width: 1)
        let expected = try await single.decode(.file(file.path, mapsFile: false)).bitmap
        let queue = DecodeQueue(width: 4, budget: DecodeBudget(maxBytes: single.budget.peakGrantedBytes))

        let images = try await withThrowingTaskGroup(of: Bitmap.self) { group in
            for _ in 0..<12 {
                group.addTask { try await queue.decode(.file(file.path, mapsFile: false)).bitmap }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(images == Array(repeating: expected, count: 12))
        #expect(queue.budget.grantedBytes == 0 && queue.budget.peakGrantedBytes == queue.budget.maxBytes)
    }

    @Test func fileAboveMaxInputBytesThrowsLimitExceeded() throws {
        let file = try TemporaryFile(Self.large)
        defer { file.remove() }
        var options = DecodeOptions()
        options.limits.maxInputBytes = Self.large.count
        _ = try ImageDecoder(options: options).decode(.file(file.path))
        options.limits.maxInputBytes = Self.large.count - 1

        let error = error(file.path, options)

        #expect(error?.code == .limitExceeded && error?.detail == "maxInputBytes")
    }

    @Test func missingFilesThrowNotFound() throws {
        let file = try TemporaryFile([1])
        defer { file.remove() }
        for path in [file.path + "-missing", file.path + "/below-a-file", "", file.path + "\0"] {
            let error = error(path)
            #expect(error?.code == .fileUnreadable && error?.detail == "notFound")
        }
    }

    /// A FIFO without a writer would block a reader that waits for it.
    @Test func foldersPipesAndDevicesThrowNotRegularFile() async throws {
        let file = try TemporaryFile([1])
        defer { file.remove() }
        let pipe = file.folder.appending(path: "pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [file.folder.path, pipe, "/dev/null", "/dev/zero"] {
            let error = error(path)
            #expect(error?.code == .fileUnreadable && error?.detail == "notRegularFile", "\(path)")
            let queued = await #expect(throws: DecodeError.self) {
                try await DecodeQueue(width: 1).thumbnail(of: .file(path), options: ThumbnailOptions(width: 9))
            }
            #expect(queued?.detail == "notRegularFile")
        }
    }

    /// In a process without privileges, because the superuser may read every file.
    @Test func fileWithoutReadPermissionThrowsNotPermitted() async throws {
        await #expect(processExitsWith: .success) {
            let file = try TemporaryFile([1, 2, 3])
            defer { file.remove() }
            precondition(chmod(file.folder.path, 0o755) == 0 && chmod(file.path, 0) == 0)
            if geteuid() == 0 { precondition(seteuid(65_534) == 0) }
            defer { _ = seteuid(0) }
            do throws(DecodeError) {
                _ = try ImageDecoder().decode(.file(file.path))
                preconditionFailure("the file was read")
            } catch {
                precondition(error.code == .fileUnreadable && error.detail == "notPermitted")
            }
        }
    }

    @Test func linksAreFollowedAndLoopsThrowSystem() throws {
        let file = try TemporaryFile(Self.large)
        defer { file.remove() }
        let (link, loop) = (file.folder.appending(path: "link").path, file.folder.appending(path: "loop").path)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "image")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: "loop")

        #expect(try ImageDecoder().decode(.file(link)).bitmap.width == 800)
        let error = error(loop)
        #expect(error?.code == .fileUnreadable && error?.detail == "system")
    }

    @Test func emptyFileThrowsUnknownFormat() throws {
        let file = try TemporaryFile([])
        defer { file.remove() }
        #expect(error(file.path)?.code == .unknownFormat)
    }

    @Test func cancellingBeforeTheFirstReadThrowsCancelled() throws {
        let file = try TemporaryFile(Self.large)
        defer { file.remove() }
        let flag = CancellationFlag()
        flag.cancel()
        for mapsFile in [true, false] {
            let error = #expect(throws: DecodeError.self) {
                try ImageDecoder().decode(.file(file.path, mapsFile: mapsFile), cancellation: flag)
            }
            #expect(error?.code == .cancelled)
        }
    }

    /// While the job waits for the only thread and for bytes, the file has another content.
    @Test func fileThatIsReplacedByOneThatNeedsMoreMemoryThrowsChanged() async throws {
        let file = try TemporaryFile(BMPFile.monochrome(width: 100, height: 100))
        defer { file.remove() }
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 8 << 20))
        let gate = QueueGate()
        async let blocker: Void = queue.run(byteCount: 8 << 20) { _ in gate.pass() }
        await gate.waitUntilEntered()
        let other = DecodeQueue(width: 1, budget: queue.budget)

        let task = Task { try await other.decode(.file(file.path)) }
        await yieldUntil { queue.budget.waitingCount == 1 }
        try file.write(BMPFile.monochrome(width: 500, height: 500))
        gate.open()

        let result = await task.result
        let error = #expect(throws: DecodeError.self) { try result.get() }
        #expect(error?.code == .fileUnreadable && error?.detail == "changed")
        try await blocker
        #expect(queue.budget.grantedBytes == 0)
    }
}
