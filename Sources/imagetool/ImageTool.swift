import PlatformImageToolSupport

/// The `imagetool` command. Its exit codes are those of sysexits.h; `Docs/exit-codes.md` lists them.
@main
struct ImageTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imagetool",
        abstract: "Inspects, decodes and resizes images: PNG, JPEG, GIF, TIFF, WebP and BMP.",
        discussion: """
            Errors are printed on stderr as `path: code: message`. Exit codes: 0 success, 64 invalid usage, 65 invalid \
            or unsupported image, 66 no input, 74 I/O error, 77 rejected by a limit; with several files, 1 if any \
            file failed.

            `imagetool --version --verbose` also lists the codec libraries with their versions and packages, and a \
            warning for each missing security fix.
            """,
        version: toolVersion,
        subcommands: [
            InfoCommand.self, DecodeCommand.self, ConvertCommand.self, ThumbCommand.self, ContactSheetCommand.self,
            CompareCommand.self, ViewCommand.self, CacheCommand.self, WorkerCommand.self, IsolationCommand.self,
            LoadCommand.self, PipeCommand.self, ServeCommand.self, SignCommand.self, HealthCommand.self,
            WarmCommand.self,
        ])

    static func main() async {
        await runProcess {
            let arguments = processArguments()
            if Set(arguments) == ["--version", "--verbose"] {
                return try Output().write(LibraryReport(InstalledLibrary.all()).text(toolVersion: toolVersion))
            }
            try await runArguments()
        }
    }
}
