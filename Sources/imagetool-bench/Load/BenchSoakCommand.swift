import Foundation
import PlatformImageToolSupport

/// `imagetool-bench soak`: runs many loads with random cancellation and checks for leaks.
struct BenchSoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Runs many loads, cancels some at random, and checks memory, file descriptors and running loads.",
        discussion: """
            Exit code 1 if a load fails, if work is running or additional descriptors are open at the end, or if \
            resident memory has grown by more than --slack since the first fifth of the loads.
            """,
        shouldDisplay: false)

    @Option(help: "Number of loads.") var loads = 200_000
    @Option(help: "Number of concurrent loads.") var concurrency = 32
    @Option(help: "Allowed growth of resident memory in bytes.") var slack = 16 << 20
    @Option(help: "Parent folder of the temporary folder; by default the temporary folder of the system.")
    var directory: String?

    func validate() throws {
        guard (100...100_000_000).contains(loads), (1...1_024).contains(concurrency), (0...1 << 40).contains(slack)
        else {
            throw ValidationError(
                "--loads must be 100 to 100000000, --concurrency 1 to 1024, --slack 0 to 1 TiB (in bytes).")
        }
    }

    func run() async throws {
        let output = try Output()
        try await withTemporaryFolder(in: directory) { folder in
            let server = try BenchLoadServer(body: bitmapFile(width: 32, height: 32), type: "image/bmp", folder: folder)
            defer { withExtendedLifetime(server) {} }
            let soak = Soak(origin: server.origin, folder: folder)
            // The first run creates the objects that libraries and the pools of this library retain permanently.
            _ = try await soak.run(loads: 2_000, concurrency: concurrency) { _ in }
            let before = OpenDescriptors()
            try output.write("loads done, cancelled, failed; resident KiB; file descriptors; loads running:\n")
            let end = try await soak.run(loads: loads, concurrency: concurrency) { statistics in
                try output.write(statistics.line)
            }
            let after = try await OpenDescriptors(waitingUntilAtMost: before)
            let growth = end.last.resident - end.firstFifth.resident
            try output.write(
                """
                loads running at the end: \(end.last.running)
                file descriptors before: \(before); after: \(after)
                growth of resident memory since the first fifth: \(growth >= 0 ? "+" : "")\(growth / 1024) KiB

                """)
            guard end.last.failed == 0, end.last.running == 0, !after.isMore(than: before), growth <= slack else {
                throw Failure(
                    .software,
                    "internal: a load failed or still runs, file descriptors leak, or memory growth exceeds --slack"
                )
            }
        }
    }
}

/// Open descriptors of this process according to `/proc`; empty on other systems.
private struct OpenDescriptors: CustomStringConvertible {
    /// Files, folders, sockets and pipes.
    private var others = 0
    /// Descriptors of event loops and of libdispatch, which opens one timer for each of its three clocks on first use.
    private var ofLoops = 0

    init() {
        let folder = "/proc/self/fd"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
                continue
            }
            if target.hasPrefix("anon_inode:") { ofLoops += 1 } else { others += 1 }
        }
    }

    /// Polls for at most 5 seconds until the number of open descriptors does not exceed that of `before`, apart from
    /// the three timers of libdispatch. An HTTP client closes its connections some time after its release.
    init(waitingUntilAtMost before: Self) async throws {
        self.init()
        for _ in 0..<500 where isMore(than: before) {
            try await Task.sleep(for: .milliseconds(10))
            self = Self()
        }
    }

    func isMore(than before: Self) -> Bool { others > before.others || ofLoops > before.ofLoops + 3 }

    var description: String { "\(others) for files, sockets and pipes, \(ofLoops) for event loops" }
}
