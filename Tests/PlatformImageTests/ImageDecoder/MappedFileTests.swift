import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Mapped files that become shorter. Each test runs in a process of its own, because a defect ends the process, and
/// because the signal handler belongs to the process.
@Suite(.timeLimit(.minutes(30))) struct MappedFileTests {
    /// Files of more than 1 MiB in several formats, with noise that compresses badly.
    static func files() throws -> [[UInt8]] {
        var random = SplitMix(seed: 19)
        let noise = Bitmap(width: 900, height: 800) { pixels in
            for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: random.next()) | 1 }
        }
        var best = ImageEncoder()
        best.options.jpeg.quality = 100
        best.options.jpeg.chromaSubsampling = .ratio444
        return [
            InputFileTests.large, try ImageEncoder().encode(noise, as: .png), try best.encode(noise, as: .jpeg),
        ]
    }

    /// Truncates the mapped file to each of the sizes before the bytes are decoded: the decoder reads the pages before
    /// the cut, and then pages that are missing.
    @Test func truncatingAMappedFileAtAnyPageThrowsChanged() async {
        await #expect(processExitsWith: .success) {
            for bytes in try MappedFileTests.files() {
                precondition(bytes.count > InputFile.mappedFrom)
                let file = try TemporaryFile(bytes)
                defer { file.remove() }
                let cuts = Array(stride(from: 0, to: bytes.count, by: 4096 * 41)) + [1, 4097, bytes.count - 1]
                for cut in cuts {
                    var sum = 0
                    do throws(DecodeError) {
                        try InputFile.withBytes(
                            of: .path(Array(file.path.utf8)), limits: DecodeLimits(), mapsFile: true, flag: nil
                        ) {
                            (span, memory) throws(DecodeError) in
                            precondition(memory == 0)
                            file.truncate(to: cut)
                            _ = try? ImageDecoder().decode(borrowing: span)
                            _ = try? ImageDecoder().thumbnail(borrowing: span, options: ThumbnailOptions(width: 40))
                            for index in 0..<span.count { sum &+= Int(span[index]) }
                        }
                        preconditionFailure("the change to \(cut) bytes was not detected")
                    } catch {
                        precondition(error.code == .fileUnreadable && error.detail == "changed")
                    }
                    // The missing bytes are zeros, in the last page too.
                    precondition(sum == bytes[..<cut].reduce(0) { $0 + Int($1) })
                    try file.write(bytes)
                }
            }
        }
    }

    /// While the mapping of the file is replaced by one of an empty file, its pages cannot be read.
    @Test func missingPagesOfAnUnchangedFileThrowSystem() async {
        await #expect(processExitsWith: .success) {
            let (file, empty) = (try TemporaryFile(InputFileTests.large), try TemporaryFile([]))
            defer { file.remove() }
            defer { empty.remove() }
            let descriptor = open(empty.path, O_RDONLY)
            do throws(DecodeError) {
                try InputFile.withBytes(
                    of: .path(Array(file.path.utf8)), limits: DecodeLimits(), mapsFile: true, flag: nil
                ) {
                    (span, memory) throws(DecodeError) in
                    precondition(memory == 0)
                    span.withUnsafeBufferPointer { bytes in
                        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                        let mapped = mmap(start, bytes.count, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0)
                        precondition(mapped == start)
                    }
                    for index in 0..<span.count { precondition(span[index] == 0) }
                }
                preconditionFailure("no error")
            } catch {
                precondition(error.code == .fileUnreadable && error.detail == "system", "\(error)")
            }
        }
    }

    /// Another thread truncates and restores the file all the time.
    @Test func truncatingDuringDecodesNeverEndsTheProcess() async {
        await #expect(processExitsWith: .success) {
            let bytes = InputFileTests.large
            let file = try TemporaryFile(bytes)
            defer { file.remove() }
            let isDone = Locked(false)
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                var random = SplitMix(seed: 7)
                while !isDone.value {
                    file.truncate(to: Int(random.next() % UInt64(bytes.count)))
                    file.truncate(to: bytes.count)
                }
                ended.signal()
            }
            // The file is sparse after the first truncation, and has its full size at many openings.
            var (changed, attempts) = (0, 0)
            while changed < 20, attempts < 20_000 {
                attempts += 1
                do throws(DecodeError) {
                    _ = try ImageDecoder().thumbnail(of: .file(file.path), options: ThumbnailOptions(width: 40))
                } catch {
                    if error.detail == "changed" { changed += 1 }
                }
            }
            isDone.update { $0 = true }
            ended.wait()
            precondition(changed > 0, "no truncation during \(attempts) decodes")
        }
    }

    /// Maps a file without registration, truncates it and reads from it: a fault that does not concern this module.
    static func foreignFault() throws -> Never {
        let file = try TemporaryFile([UInt8](repeating: 1, count: 20_000))
        let descriptor = open(file.path, O_RDONLY)
        let start = mmap(nil, 20_000, PROT_READ, MAP_PRIVATE, descriptor, 0)
        file.truncate(to: 0)
        file.remove()
        let value = start?.load(fromByteOffset: 16_384, as: UInt8.self)
        preconditionFailure("read \(value ?? 0)")
    }

    /// Maps a file, which installs the signal handler.
    static func installHandler() throws {
        let file = try TemporaryFile(InputFileTests.large)
        defer { file.remove() }
        _ = try ImageDecoder().decode(.file(file.path))
    }

    @Test func foreignFaultReachesThePreviousHandler() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGBUS) { _ in _exit(42) }
            try MappedFileTests.installHandler()
            try MappedFileTests.foreignFault()
        }
    }

    @Test func foreignFaultWithoutAPreviousHandlerEndsTheProcessBySignal() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            signal(SIGBUS, SIG_DFL)
            try MappedFileTests.installHandler()
            try MappedFileTests.foreignFault()
        }
    }

    @Test func sentSignalReachesThePreviousActionOrIsIgnoredIfItWasIgnored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGBUS, SIG_IGN)
            try MappedFileTests.installHandler()
            raise(SIGBUS)
        }
        await #expect(processExitsWith: .exitCode(43)) {
            signal(SIGBUS) { _ in _exit(43) }
            try MappedFileTests.installHandler()
            raise(SIGBUS)
        }
        await #expect(processExitsWith: .signal(SIGBUS)) {
            signal(SIGBUS, SIG_DFL)
            try MappedFileTests.installHandler()
            raise(SIGBUS)
        }
    }

    @Test func previousHandlerWithResetIsCalledOnlyOnce() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            action.sa_flags = Int32(truncatingIfNeeded: Int(SA_RESETHAND))
            sigaction(SIGBUS, &action, nil)
            try MappedFileTests.installHandler()

            raise(SIGBUS)
            try MappedFileTests.installHandler()
            raise(SIGBUS)
        }
    }

    /// Without the handler, a mapped file would be dangerous.
    @Test func afterTheHandlerWasReplacedFilesAreReadIntoMemory() async {
        await #expect(processExitsWith: .success) {
            let file = try TemporaryFile(InputFileTests.large)
            defer { file.remove() }
            func memory() throws -> Int {
                try InputFile.withBytes(
                    of: .path(Array(file.path.utf8)), limits: DecodeLimits(), mapsFile: true, flag: nil
                ) {
                    (_, memory) throws(DecodeError) in memory
                }
            }
            if try memory() != 0 { preconditionFailure("wrong byte count") }

            signal(SIGBUS, SIG_DFL)

            if try memory() != InputFileTests.large.count { preconditionFailure("wrong byte count") }
        }
    }

    /// With a blocked signal, a fault ends the process.
    @Test func threadThatBlocksTheSignalReadsFilesIntoMemory() async {
        await #expect(processExitsWith: .success) {
            let file = try TemporaryFile(InputFileTests.large)
            defer { file.remove() }
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGBUS)
            for (action, expected) in [
                (SIG_UNBLOCK, 0), (SIG_BLOCK, InputFileTests.large.count), (SIG_UNBLOCK, 0),
            ] {
                pthread_sigmask(Int32(action), &signals, nil)
                let memory = try InputFile.withBytes(
                    of: .path(Array(file.path.utf8)), limits: DecodeLimits(), mapsFile: true, flag: nil
                ) { (_, memory) throws(DecodeError) in memory }
                if memory != expected { preconditionFailure("wrong byte count") }
            }
        }
    }

    @Test func queueReservesTheSizeOfAFileThatCannotBeMappedBeforeItReadsIt() async {
        await #expect(processExitsWith: .success) {
            let (file, other) = (try TemporaryFile([UInt8](repeating: 7, count: 2 << 20)), InputFileTests.large)
            let image = try TemporaryFile(other)
            defer { file.remove() }
            defer { image.remove() }
            try MappedFileTests.installHandler()
            signal(SIGBUS, SIG_DFL)
            let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: (2 << 20) - 1))
            do throws(DecodeError) {
                _ = try await queue.decode(.file(file.path))
                preconditionFailure("no error")
            } catch {
                precondition(error.detail == "decodeBudget")
            }

            let decoded = try await DecodeQueue(width: 1).decode(.file(image.path)).bitmap
            let expected = try ImageDecoder().decode(other).bitmap

            precondition(decoded == expected)
        }
    }

    @Test func filesAreReadIntoMemoryWhenAllRegionsAreInUse() async {
        await #expect(processExitsWith: .success) {
            let file = try TemporaryFile(InputFileTests.large)
            defer { file.remove() }
            /// The memory of the innermost of `depth` open files.
            func memory(_ depth: Int) throws(DecodeError) -> Int {
                try InputFile.withBytes(
                    of: .path(Array(file.path.utf8)), limits: DecodeLimits(), mapsFile: true, flag: nil
                ) {
                    (_, byteCount) throws(DecodeError) in depth == 1 ? byteCount : try memory(depth - 1)
                }
            }
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = min(limit.rlim_max, 2048)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

            if try memory(512) != 0 { preconditionFailure("wrong byte count") }
            if try memory(513) != InputFileTests.large.count { preconditionFailure("wrong byte count") }
            if try memory(512) != 0 { preconditionFailure("wrong byte count") }
        }
    }
}
