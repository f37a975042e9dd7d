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

            Decodes in this process, not in isolated decode workers.
            """)

    /// Milliseconds after the end of input at which the operations that are still running are cancelled. The
    /// process must exit within five seconds, so this value must be less than 5,000.
    @Option(help: .hidden) var graceMilliseconds = 4_000
    /// Milliseconds after the end of input at which the process exits unconditionally, for example when a disk does not
    /// respond. Each store writes its entry to the file system before it returns, so stored entries are not lost.
    @Option(help: .hidden) var longestEndMilliseconds = 4_800

    func run() async throws {
        let input = try await reportingFailure("stdin") { try LineInput() }
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
