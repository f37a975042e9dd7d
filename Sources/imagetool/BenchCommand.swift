#if Tool
import ArgumentParser
import PlatformImage

/// `imagetool bench`: how fast things are here.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures speed on this machine.",
        subcommands: [
            BenchDecodeCommand.self, BenchAgreeCommand.self, BenchCacheCommand.self, BenchBudgetCommand.self,
            BenchMemoryCommand.self,
            BenchDiskCommand.self, BenchThumbCommand.self, BenchResizeCommand.self,
        ] + networkCommands)

    /// What needs a transport.
    private static var networkCommands: [any ParsableCommand.Type] {
        #if AsyncHTTPClient
        [BenchLoadCommand.self, BenchSoakCommand.self]
        #else
        []
        #endif
    }
}
#endif
