import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Random operations on the cache and on a dictionary give the same entries; the cache loses no entry.
struct DiskModelTests {
    private struct Stored: Equatable {
        var entry: CacheEntry
        var body: [UInt8]
        var modified: Int64
    }

    @Test(arguments: 1...6)
    func randomCacheOperationsMatchADictionaryModel(_ seed: UInt64) async throws {
        let folder = try DiskFolder()
        let clock = TestClock()
        var random = SplitMix(seed: seed)
        var cache = folder.cache(clock: clock)
        var model: [CacheKey: Stored] = [:]
        let keys = (0..<6).map { diskKey("\($0)") }
        for step in 0..<600 {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let padding = [0, 0, 0, 800, 3_000].randomElement(using: &random) ?? 0
            let entry = diskEntry(key, version: step, padding: padding, createdAt: clock.now.seconds)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                let body = diskBody(key, version: step, count: Int.random(in: 0...300, using: &random))
                #expect(cache.store(entry, body: body))
                model[key] = Stored(entry: entry, body: body, modified: clock.now.seconds)
            case 3...4:
                guard let hit = cache.read(key), let created = model[key]?.entry.response?.createdAt else { break }
                #expect(cache.refresh(entry, of: hit.revision))
                model[key]?.entry = entry
                // A refresh does not change the creation date of the body.
                model[key]?.entry.response?.createdAt = created
            case 5:
                #expect(cache.remove(key).count == (model[key] == nil ? 0 : 1))
                model[key] = nil
            case 6:
                clock.advance(Int64.random(in: 0...100, using: &random))
            case 7:
                cache = folder.cache(clock: clock)
            case 8 where step % 7 == 0:
                let old = model.filter { clock.now.seconds - $0.value.modified > 50 }
                #expect(await cache.clear(modifiedOlderThan: .seconds(50)).count == old.count)
                for key in old.keys { model[key] = nil }
            default:
                break
            }
            let hit = cache.read(key)
            #expect(hit?.entry == model[key]?.entry, "seed \(seed), step \(step)")
            #expect(hit?.body == model[key]?.body, "seed \(seed), step \(step)")
            model[key]?.modified = clock.now.seconds
        }
        await cache.flush()
        #expect(cache.statistics.entries == model.count)
        #expect(folder.files.count == model.count)
    }
}
