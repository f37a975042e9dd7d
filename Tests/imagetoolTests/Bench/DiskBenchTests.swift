import Foundation
import Testing

@Suite struct DiskBenchTests {
    @Test func benchDiskReportsCPUTimeRatiosAndRemovesItsFiles() throws {
        struct Operation: Decodable {
            let operation: String
            let oursCPUNanoseconds: Double
            let bareCPUNanoseconds: Double
            let ratio: Double
        }
        struct Summary: Decodable {
            let median: Double
            let max: Double
        }
        struct Opening: Decodable {
            let entries: Int
            let openings: Int
            let openingMilliseconds: Summary
            let firstHitMilliseconds: Summary
            let scanMilliseconds: Summary
            let scannedAtFirstHit: Int
            let growthBytes: Int
        }
        struct Result: Decodable {
            let bodyBytes: Int
            let rounds: Int
            let operations: [Operation]
            let openings: [Opening]
            let storeSeconds: Double
        }
        let folder = try TemporaryFolder()

        let run = try ToolRun(
            bench: "disk", "--rounds", "2", "--entries", "500", "--directory", folder.path, "--json")

        let result = try JSONDecoder().decode(Result.self, from: Data(run.output))
        #expect(run.exitCode == 0)
        #expect(result.rounds == 2 && result.bodyBytes == 20_000)
        #expect(result.operations.map(\.operation) == ["look-up, verified", "miss", "store", "refresh (304)"])
        #expect(result.operations.allSatisfy { $0.ratio > 0 && $0.oursCPUNanoseconds > 0 && $0.bareCPUNanoseconds > 0 })
        #expect(result.openings.map(\.entries) == [100, 500])
        #expect(result.openings.allSatisfy { $0.openingMilliseconds.median <= $0.openingMilliseconds.max })
        #expect(try folder.names.isEmpty)
    }

    @Test func benchDiskWithoutAWritableFolderExitsWith74() throws {
        let folder = try TemporaryFolder()

        let run = try ToolRun(bench: "disk", "--entries", "1", "--directory", folder.path("none"))

        #expect(run.exitCode == 74)
        #expect(run.errors.contains("\(folder.path("none")): io: "))
        #expect(run.output.isEmpty)
    }
}
