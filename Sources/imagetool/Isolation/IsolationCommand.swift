import PlatformImage
import PlatformImageToolSupport

/// `imagetool isolation`: reports whether decode workers can be used on this machine.
struct IsolationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "isolation",
        abstract: "Reports whether this machine can decode in sandboxed worker processes, and proves it by trying.",
        discussion: """
            Prints the features of the kernel and the limits of the calling process, then starts workers, decodes \
            generated images in them, and prints the protections of each worker process as /proc shows them. Exit \
            codes: 0 workers can be used, 1 they cannot; the reason is printed.
            """)

    @Option(help: ArgumentHelp("Path of the worker program. (default: imagetool-decoder next to imagetool)"))
    var decoder: String?
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        let report = IsolationReport(support: IsolationSupport(), trial: IsolationTrial(decoder: decoder))
        try Output().write(json ? report.json.text + "\n" : report.text)
        if report.trial.failure != nil { throw ExitCode(1) }
    }
}
