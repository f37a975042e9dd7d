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
        abstract: "Loads and caches pictures for another program: JSON objects, one a line, in and out.",
        discussion: """
            Operations run side by side; answers come in any order with the id of what they answer. Docs/pipe.md \
            describes them. The end of stdin, or SIGTERM, ends the process within five seconds, with 0.
            """)

    /// Grace period for outstanding operations after the end of input. They are cancelled afterwards; together with the
    /// cancellation this must stay below the documented five seconds.
    @Option(help: .hidden) var graceMilliseconds = 4_000
    /// Time after which the process exits unconditionally, even when a disk hangs; stored entries are on disk by then.
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
