#if Tool && AsyncHTTPClient
import ArgumentParser
import Foundation

/// `imagetool bench soak`: very many loads that are cancelled at random; what they leave behind.
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
        try await withBenchFolder(in: directory) { folder in
            let server = try BenchLoadServer(body: bitmapFile(side: 32), type: "image/bmp", folder: folder)
            let soak = Soak(origin: server.origin, folder: folder)
            // What NIO and the pools of this library keep for ever is there afterwards.
            _ = try await soak.run(loads: 2_000, concurrency: concurrency) { _ in }
            let before = openDescriptors()
            try output.write("done, cancelled, failed, resident KiB, descriptors, under way:\n")
            let end = try await soak.run(loads: loads, concurrency: concurrency) { step in
                try output.write(step.line)
            }
            let after = try await openDescriptors(atMost: before)
            withExtendedLifetime(server) {}
            let growth = end.last.resident - end.firstFifth.resident
            try output.write(
                """
                under way at the end: \(end.last.underWay)
                descriptors before \(before), after \(after)
                resident memory since the first fifth: \(growth >= 0 ? "+" : "")\(growth / 1024) KiB

                """)
            guard end.last.failed == 0, end.last.underWay == 0, after <= before, growth <= slack else {
                throw Failure(.software, "internal: the loads have left something behind")
            }
        }
    }
}

/// Descriptors of this process; 0 where `/proc` is not there.
func openDescriptors() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

/// Waits for connections to be closed, which a client does after it is released.
private func openDescriptors(atMost most: Int) async throws -> Int {
    for _ in 0..<30_000 where openDescriptors() > most { try await Task.sleep(for: .milliseconds(10)) }
    return openDescriptors()
}
#endif
