import Foundation
import Testing

@testable import PlatformImageLoader

/// Every applicable behaviour of http-tests/cache-tests; Docs/cache-tests.md lists them.
@Suite struct ConformanceTests {
    @Test(arguments: ConformanceTable.behaviours)
    func cacheBehaviourWithEntriesInMemoryMatchesItsTableRow(_ behaviour: Behaviour) throws {
        var client = ScenarioClient(behaviour, store: EntriesInMemory())

        expect(try client.differences(), behaviour)
    }

    @Test(arguments: ConformanceTable.behaviours)
    func cacheBehaviourWithADiskCacheReopenedForEachLoadMatchesItsTableRow(_ behaviour: Behaviour) throws {
        let entries = try EntriesOnDisk()
        defer { try? FileManager.default.removeItem(at: entries.folder) }
        var client = ScenarioClient(behaviour, store: entries)

        expect(try client.differences(), behaviour)
    }

    @Test(arguments: additionalBehaviours)
    func additionalCacheBehaviourHasItsExpectedResultInMemoryAndOnDisk(_ behaviour: Behaviour) throws {
        let entries = try EntriesOnDisk()
        defer { try? FileManager.default.removeItem(at: entries.folder) }
        var inMemory = ScenarioClient(behaviour, store: EntriesInMemory())
        var onDisk = ScenarioClient(behaviour, store: entries)

        expect(try inMemory.differences(), behaviour)
        expect(try onDisk.differences(), behaviour)
    }

    private func expect(_ differences: [String], _ behaviour: Behaviour) {
        switch behaviour.verdict {
        case .met: #expect(differences == [])
        case .notMet(_, let found): #expect(differences == found)
        }
    }
}
