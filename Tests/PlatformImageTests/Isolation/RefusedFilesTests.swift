import Testing

@testable import PlatformImage

@Suite struct RefusedFilesTests {
    private static let start = ContinuousClock.now

    private func after(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    private func contains(_ list: RefusedFiles, _ file: [UInt8], after seconds: Int) -> Bool {
        list.contains(file.span, now: after(seconds))
    }

    @Test(
        arguments: [
            ([1, 2, 3], true), ([1, 2], false), ([1, 2, 3, 0], false), ([3, 2, 1], false), ([], false),
        ] as [([UInt8], Bool)])
    func onlyTheSameBytesAreRefused(_ file: [UInt8], _ isRefused: Bool) {
        let list = RefusedFiles(time: .seconds(10))
        let crashed: [UInt8] = [1, 2, 3]
        list.insert(crashed.span, now: Self.start)

        #expect(contains(list, file, after: 1) == isRefused)
        #expect(list.refusedCount == (isRefused ? 1 : 0))
    }

    @Test(arguments: [(0, true), (9, true), (10, false), (11, false)])
    func fileIsRefusedUntilItsTimeEnds(_ seconds: Int, _ isRefused: Bool) {
        let list = RefusedFiles(time: .seconds(10))
        let file: [UInt8] = [7]
        list.insert(file.span, now: Self.start)

        #expect(contains(list, file, after: seconds) == isRefused)
    }

    @Test func anotherCrashStartsTheTimeAgain() {
        let list = RefusedFiles(time: .seconds(10))
        let file: [UInt8] = [7]
        list.insert(file.span, now: Self.start)
        list.insert(file.span, now: after(5))

        #expect(contains(list, file, after: 14))
        #expect(!contains(list, file, after: 15))
    }

    @Test func timeZeroListsNoFile() {
        let list = RefusedFiles(time: .zero)
        let file: [UInt8] = [7]
        list.insert(file.span, now: Self.start)

        #expect(!list.isActive)
        #expect(!contains(list, file, after: 0))
    }

    @Test func inputsAreNotHashedAfterAllFilesHaveExpired() {
        let list = RefusedFiles(time: .seconds(10))
        let (crashed, other): ([UInt8], [UInt8]) = ([7], [8])
        #expect(!list.isActive)
        list.insert(crashed.span, now: Self.start)
        #expect(list.isActive)

        #expect(!contains(list, other, after: 10))

        #expect(!list.isActive)
    }

    private static let decode = WorkerAttempt(.images(.decode), DecodeOptions(), .images)

    @Test func fileIsRefusedAfterTwoKillsUntilItsTimeEnds() {
        let list = RefusedFiles(time: .seconds(10))
        let file: [UInt8] = [7]
        list.noteKill(Self.decode, file.span, now: Self.start)
        #expect(!contains(list, file, after: 1))
        list.noteKill(Self.decode, file.span, now: after(2))

        #expect(contains(list, file, after: 3))
        #expect(!contains(list, [8], after: 3))
        list.noteCompletion(of: Self.decode, file.span, now: after(4))
        #expect(contains(list, file, after: 11))
        #expect(!contains(list, file, after: 12))
        list.noteKill(Self.decode, file.span, now: after(12))
        #expect(!contains(list, file, after: 12), "the earlier kills have expired")
    }

    @Test func killsOfDifferentAttemptsAreAddedAndOnlyTheSameAttemptRemovesOne() {
        var otherOptions = DecodeOptions()
        otherOptions.appliesOrientation = false
        let others = [
            WorkerAttempt(.header, DecodeOptions(), .operation),
            WorkerAttempt(.images(.decode), DecodeOptions(), .measure),
            WorkerAttempt(.images(.decode), otherOptions, .images),
            WorkerAttempt(.images(.thumbnail(ThumbnailOptions(width: 8))), DecodeOptions(), .images),
            WorkerAttempt(.frames, DecodeOptions(), .step(.compose, frameCount: 1)),
            WorkerAttempt(.frames, DecodeOptions(), .step(.compose, frameCount: 2)),
            WorkerAttempt(.frames, DecodeOptions(), .step(.advance, frameCount: 1)),
        ]
        let file: [UInt8] = [7]
        for other in others {
            #expect(other != Self.decode && others.count { $0 == other } == 1)
            let list = RefusedFiles(time: .seconds(10))
            list.noteKill(Self.decode, file.span, now: Self.start)
            list.noteCompletion(of: other, file.span, now: after(1))
            list.noteKill(other, file.span, now: after(2))
            #expect(contains(list, file, after: 3))
        }
        let list = RefusedFiles(time: .seconds(10))
        for second in 0..<100 {
            list.noteKill(Self.decode, file.span, now: after(second))
            list.noteCompletion(of: Self.decode, file.span, now: after(second))
            #expect(!list.isActive && !contains(list, file, after: second))
        }
        list.noteKill(Self.decode, file.span, now: after(100))
        list.insert(file.span, now: after(100))
        #expect(contains(list, file, after: 100), "a crash refuses at once")
        let none = RefusedFiles(time: .zero)
        for _ in 0..<3 { none.noteKill(Self.decode, file.span, now: Self.start) }
        #expect(!none.isActive)
    }

    /// The 1,025th file replaces the file whose time ends first.
    @Test func fullListReplacesTheFileThatExpiresFirst() {
        let list = RefusedFiles(time: .seconds(10_000))
        func file(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
        for number in 0...RefusedFiles.maxCount { list.insert(file(number).span, now: after(number)) }

        #expect(!contains(list, file(0), after: 2000))
        for number in 1...RefusedFiles.maxCount { #expect(contains(list, file(number), after: 2000)) }
        #expect(list.refusedCount == RefusedFiles.maxCount)
    }
}
