#if os(Linux)
import Foundation
import Testing

/// `imagetool isolation`.
@Suite struct IsolationCommandTests {
    private struct Report: Decodable {
        struct Worker: Decodable {
            var process: Int
            var seccompMode: Int?
            var noNewPrivileges: Bool?
            var environmentBytes: Int?
            var descriptors: [String]?
        }

        var usable: Bool
        var reason: String?
        var kernel: String
        var seccompFilter: Bool
        var landlock: Int
        var processSeccompMode: Int
        var decodedFormats: [String]
        var workerLandlock: Int?
        var workers: [Worker]
    }

    private func report(_ run: ToolRun) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(run.output))
    }

    @Test func reportContainsTheProtectionsOfStartedWorkers() throws {
        let run = try ToolRun("isolation", "--json")

        #expect(run.exitCode == 0, "\(run.text)")
        let report = try report(run)
        #expect(report.usable && report.reason == nil && report.seccompFilter && !report.kernel.isEmpty)
        #expect(report.workerLandlock == report.landlock)
        #expect(report.decodedFormats.prefix(2) == ["png", "jpeg"])
        #expect(!report.workers.isEmpty)
        for worker in report.workers {
            #expect(worker.seccompMode == 2 && worker.noNewPrivileges == true)
            // Only privileged users can read these.
            #expect(worker.environmentBytes == (geteuid() == 0 ? 0 : nil))
            #expect((worker.descriptors != nil) == (geteuid() == 0))
            #expect(
                worker.descriptors?.allSatisfy { $0.hasPrefix("socket:[") || $0.hasPrefix("/memfd:") } ?? true,
                "\(worker)")
        }
    }

    @Test func textReportEndsWithTheResult() throws {
        let run = try ToolRun("isolation")

        #expect(run.exitCode == 0 && run.errors.isEmpty)
        #expect(run.text.contains("Seccomp 2, NoNewPrivs 1"))
        #expect(run.text.hasSuffix("\nworkers can be used\n"))
    }

    @Test func missingWorkerProgramExitsWith1AndTheReason() throws {
        let run = try ToolRun("isolation", "--decoder", "/none/decoder")
        let json = try ToolRun("isolation", "--decoder", "/none/decoder", "--json")

        #expect(run.exitCode == 1 && json.exitCode == 1)
        let reason = "workerUnavailable(executableMissing): the worker program \"/none/decoder\" does not exist"
        #expect(run.text.hasSuffix("\nworkers cannot be used: \(reason)\n"))
        let report = try report(json)
        #expect(!report.usable && report.reason == reason && report.workers.isEmpty)
    }
}
#endif
