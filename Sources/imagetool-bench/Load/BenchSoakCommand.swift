#if Tool && AsyncHTTPClient
import ArgumentParser
import Foundation
import PlatformImageToolSupport

/// `imagetool-bench soak`: runs many loads with random cancellation and checks for leaks.
struct BenchSoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Loads very often, cancels at random, and looks at memory, descriptors and what is under way.",
        discussion: """
            Exit code 1 when a load fails, when something is under way or a descriptor open at the end, or when \
            resident memory has grown by more than --slack since the first fifth.
            """,
        shouldDisplay: false)

    @Option(help: "Loads.") var loads = 200_000
    @Option(help: "Loads at once.") var concurrency = 32
    @Option(help: "Bytes that the process may grow by.") var slack = 16 << 20
    @Option(help: "Folder to make a new folder in; the system's temporary one by default.") var directory: String?

    func validate() throws {
        guard (100...100_000_000).contains(loads), (1...1_024).contains(concurrency), (0...1 << 40).contains(slack)
        else {
            throw ValidationError("--loads is at least 100, --concurrency 1 to 1024, --slack at least 0.")
        }
    }

    func run() async throws {
        let output = try Output()
        try await withTemporaryFolder(in: directory) { folder in
            let server = try BenchLoadServer(body: bitmapFile(width: 32, height: 32), type: "image/bmp", folder: folder)
            defer { withExtendedLifetime(server) {} }
            let soak = Soak(origin: server.origin, folder: folder)
            // A first run creates what NIO and this library's pools retain permanently.
            _ = try await soak.run(loads: 2_000, concurrency: concurrency) { _ in }
            let before = OpenDescriptors()
            try output.write("done, cancelled, failed, resident KiB, descriptors, under way:\n")
            let end = try await soak.run(loads: loads, concurrency: concurrency) { statistics in
                try output.write(statistics.line)
            }
            let after = try await OpenDescriptors(waitingUntilAtMost: before)
            let growth = end.last.resident - end.firstFifth.resident
            try output.write(
                """
                under way at the end: \(end.last.underWay)
                descriptors before: \(before), after: \(after)
                resident memory since the first fifth: \(growth >= 0 ? "+" : "")\(growth / 1024) KiB

                """)
            guard end.last.failed == 0, end.last.underWay == 0, !after.isMore(than: before), growth <= slack else {
                throw Failure(.software, "internal: the loads have left something behind")
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

    /// Polls until no more descriptors are open than before, at most 5 seconds: a client closes connections after its
    /// release.
    init(waitingUntilAtMost before: Self) async throws {
        self.init()
        for _ in 0..<500 where isMore(than: before) {
            try await Task.sleep(for: .milliseconds(10))
            self = Self()
        }
    }

    func isMore(than before: Self) -> Bool { others > before.others || ofLoops > before.ofLoops + 3 }

    var description: String { "\(others) and \(ofLoops) of event loops" }
}
#endif
