#if Tool
import ArgumentParser
import PlatformImageToolSupport

/// The `imagetool-bench` command: measurements and demonstrations. Its exit codes are those of `imagetool`.
@main
struct ImageToolBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imagetool-bench",
        abstract: "Benchmarks and demonstrations of PlatformImage.",
        version: toolVersion,
        subcommands: [
            BenchDecodeCommand.self, BenchAgreeCommand.self, BenchCacheCommand.self, BenchBudgetCommand.self,
            BenchMemoryCommand.self, BenchDiskCommand.self, BenchThumbCommand.self, BenchResizeCommand.self,
            BenchPixelsCommand.self, BenchIsolationCommand.self, BenchWorkersCommand.self, IsolationCompareCommand.self,
            IsolationLoadCommand.self,
        ] + networkCommands + serviceCommands)

    /// Commands that need the trait `AsyncHTTPClient`.
    private static var networkCommands: [any ParsableCommand.Type] {
        #if AsyncHTTPClient
        [BenchLoadCommand.self, BenchSoakCommand.self, DemoCommand.self]
        #else
        []
        #endif
    }

    /// Commands that need the trait `Service`.
    private static var serviceCommands: [any ParsableCommand.Type] {
        #if Service
        [DemoServiceCommand.self, GalleryCommand.self]
        #else
        []
        #endif
    }

    static func main() async { await runProcess { try await runArguments() } }
}
#else
import PlatformImageToolSupport

/// Replacement for the command in builds without the trait `Tool`, which have no command-line parser.
@main
struct ImageToolBench {
    static func main() {
        printError("imagetool-bench was built without the Tool trait: build it with `--traits Tool`")
        exitProcess(.usage)
    }
}
#endif
