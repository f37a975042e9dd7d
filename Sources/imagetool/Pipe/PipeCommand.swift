#if Tool && AsyncHTTPClient
import ArgumentParser
import Dispatch
import PlatformImageLoader
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `imagetool pipe`: gives programs in other languages access to a loader.
struct PipeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe",
        abstract: "Loads and caches images for another program: reads and writes one JSON object per line.",
        discussion: """
            Operations run concurrently; responses are written in any order and contain the id of their request. \
            Docs/pipe.md describes the requests and the responses. At the end of stdin or on SIGTERM, the \
            process exits within five seconds with 0.
            """)

    /// Time in milliseconds for outstanding operations after the end of input; the remaining operations are then
    /// cancelled. The exit must stay within the documented five seconds, so this time must be shorter.
    @Option(help: .hidden) var graceMilliseconds = 4_000
    /// Time in milliseconds after which the process exits unconditionally, even when a disk does not respond; stored
    /// entries are on disk by then.
    @Option(help: .hidden) var longestEndMilliseconds = 4_800

    func run() async throws {
        let input = try await reportingFailure("stdin") { try PipeInput() }
        let terminations = input.endOnTermination()
        defer { terminations.cancel() }
        let session = PipeSession(output: PipeOutput())
        while let item = await input.next() { session.accept(item, maxLineBytes: input.maxLineBytes) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(longestEndMilliseconds)) { _exit(0) }
        if input.end == .output {
            session.cancel()
        } else {
            let grace = Duration.milliseconds(graceMilliseconds)
            let timeout = Task {
                try await Task.sleep(for: grace)
                session.cancel()
            }
            await session.finish()
            timeout.cancel()
        }
        await session.finish()
        await session.flush()
    }
}
#endif
