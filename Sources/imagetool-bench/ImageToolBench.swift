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
            BenchLoadCommand.self, BenchTransportCommand.self, BenchSoakCommand.self, DemoCommand.self,
            DemoServiceCommand.self, GalleryCommand.self,
        ])

    static func main() async { await runProcess { try await runArguments() } }
}
