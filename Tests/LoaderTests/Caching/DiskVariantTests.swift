import Foundation
import Testing

@testable import PlatformImageLoader

struct DiskVariantTests {
    private let folder: DiskFolder
    private let key = diskKey("a.png")

    init() throws { folder = try DiskFolder() }

    private func vary(_ language: String?) -> [VaryValue] {
        [VaryValue(name: "accept-language", value: language.map { Array($0.utf8) })]
    }

    private func request(_ language: String?) -> DiskCache.RequestValues {
        { names in
            names.map { VaryValue(name: $0, value: $0 == "accept-language" ? language.map { Array($0.utf8) } : nil) }
        }
    }

    @Test func variantIsFoundOnlyByARequestWithItsVaryFieldValues() {
        let cache = folder.cache()
        let languages: [String?] = ["de", "en", "", nil, "fr"]
        for (version, language) in languages.enumerated() {
            cache.store(diskEntry(key, version: version, vary: vary(language)), body: [UInt8(version)])
        }

        for cache in [cache, folder.cache()] {
            for (version, language) in languages.enumerated() {
                let hit = cache.read(key, varying: request(language))
                #expect(hit?.entry == diskEntry(key, version: version, vary: vary(language)))
                #expect(hit?.body == [UInt8(version)])
            }
            #expect(cache.read(key, varying: request("it")) == nil)
        }
        #expect(folder.files.count == languages.count)
    }

    @Test func storingAVariantAgainReplacesOnlyThatVariant() {
        let cache = folder.cache()
        for (version, language) in ["de", "en", "de", "en", "en", "de"].enumerated() {
            cache.store(diskEntry(key, version: version, vary: vary(language)), body: [UInt8(version)])
        }

        #expect(cache.read(key, varying: request("de"))?.body == [5])
        #expect(cache.read(key, varying: request("en"))?.body == [4])
        #expect(folder.files.count == 2)
    }

    @Test func varyNamesInAnotherOrderIdentifyTheSameVariant() {
        let cache = folder.cache()
        let values = [VaryValue(name: "b", value: [1]), VaryValue(name: "a", value: [2])]
        cache.store(diskEntry(key, vary: values), body: [1])
        cache.store(diskEntry(key, version: 1, vary: vary("x")), body: [2])
        cache.store(diskEntry(key, version: 2, vary: values.reversed()), body: [3])

        let hit = cache.read(key) { names in names.map { VaryValue(name: $0, value: $0 == "a" ? [2] : [1]) } }

        #expect(hit?.body == [3])
    }

    @Test func removingAKeyRemovesAllItsVariants() {
        let cache = folder.cache()
        cache.store(diskEntry(key, vary: vary("de")), body: [1])
        cache.store(diskEntry(key, version: 1, vary: vary("en")), body: [2])

        cache.remove(key)
        cache.store(diskEntry(key, version: 2, vary: vary("fr")), body: [3])

        #expect(cache.read(key, varying: request("de")) == nil)
        #expect(cache.read(key, varying: request("en")) == nil)
        #expect(cache.read(key, varying: request("fr"))?.body == [3])
    }

    @Test func errorOfOneVariantDoesNotChangeOtherVariants() {
        let cache = folder.cache()
        let failure = FailureRecord(status: 500, attempts: 1, at: WallTime(seconds: 5))
        cache.store(diskEntry(key, vary: vary("de")), body: [1])

        for attempts in 1...2 {
            var counted = failure
            counted.attempts = attempts
            #expect(cache.store(CacheEntry(key: key, failure: counted), body: [], varying: request("en")))
            #expect(cache.read(key, varying: request("en"))?.entry == CacheEntry(key: key, failure: counted))
        }

        #expect(cache.read(key, varying: request("de"))?.entry == diskEntry(key, vary: vary("de")))
        cache.store(diskEntry(key, version: 1, vary: vary("en")), body: [2])
        #expect(cache.read(key, varying: request("en"))?.entry == diskEntry(key, version: 1, vary: vary("en")))
        #expect(cache.read(key, varying: request("de"))?.body == [1])
    }

    @Test func refreshUpdatesTheHeaderOfAVariantThatIsNotTheNewest() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key, vary: vary("de")), body: [1])
        cache.store(diskEntry(key, version: 1, vary: vary("en")), body: [2])
        let hit = try #require(cache.read(key, varying: request("de")))

        #expect(cache.refresh(diskEntry(key, version: 9, vary: vary("de")), of: hit.revision))

        #expect(cache.read(key, varying: request("de"))?.entry == diskEntry(key, version: 9, vary: vary("de")))
        #expect(cache.read(key, varying: request("en"))?.entry == diskEntry(key, version: 1, vary: vary("en")))
    }

    @Test func refreshThatAddsAVaryNameKeepsTheBody() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key, vary: vary("de")), body: [1])
        cache.store(diskEntry(key, version: 1, vary: vary("en")), body: [2])
        let hit = try #require(cache.read(key, varying: request("de")))
        let wider = vary("de") + [VaryValue(name: "accept", value: nil)]

        #expect(cache.refresh(diskEntry(key, version: 9, vary: wider), of: hit.revision))

        #expect(cache.read(key, varying: request("de"))?.entry == diskEntry(key, version: 9, vary: wider))
        #expect(cache.read(key, varying: request("de"))?.body == [1])
    }

    @Test func variantFileUnderTheNameOfAnotherVariantIsAMiss() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key, vary: vary("de")), body: [1])
        cache.store(diskEntry(key, version: 1, vary: vary("en")), body: [2])
        let de = DiskName(key.bytes, variant: try #require(vary("de").variantBytes))
        let it = DiskName(key.bytes, variant: try #require(vary("it").variantBytes))
        let root = folder.path + "/"
        let shard = String((root + it.path).dropLast(63))
        try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: root + de.path, toPath: root + it.path)

        #expect(cache.read(key, varying: request("it")) == nil)

        #expect(cache.read(key, varying: request("de"))?.body == [1])
    }
}
