import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Entries of the result cache that somebody else has written: every field is hostile.
@Suite(.requirement("A11")) struct ForgedResultTests {
    private static let numbers = [
        "0", "1", "-1", "2147483648", "2147483649", "-2147483648", "-2147483649", "4294967296", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "99999999999999999999", "1e3", "0x10",
        "", " 1", "+1", "١",
    ]

    /// Every number in every field: an entry is used with values in their range, or it is no result. Neither its
    /// lifetime nor its response fields trap, at any time of the clock.
    @Test func everyNumberInEveryFieldIsUsedInItsRangeOrMakesTheEntryAMiss() {
        let times = [
            WallTime(milliseconds: .min), WallTime(milliseconds: 0), .now, WallTime(milliseconds: .max),
        ]
        let names = [
            "X-Source-Age", "X-Source-Remaining", "X-Frames", "X-Result-Frames", "X-Last-Modified", "X-Damaged",
        ]
        for name in names {
            for number in Self.numbers {
                for validated in times {
                    guard let facts = Self.facts([name: number], validated) else { continue }
                    #expect(CacheLifetime.ages.contains(facts.source.age))
                    #expect(facts.source.remaining.map { CacheLifetime.remainders.contains($0) } ?? true)
                    #expect(facts.frameCount > 0 && facts.resultFrameCount > 0)
                    let result = StoredResult(bytes: [1], facts: facts)
                    for now in times {
                        for mode in CacheLifetime.Mode.allCases {
                            var settings = CacheLifetime.Settings()
                            settings.mode = mode
                            let lifetime = result.lifetime(ResponsePolicy(), settings, now: now)
                            #expect((0...CacheLifetime.maxSeconds).contains(lifetime.remaining))
                        }
                    }
                    if let seconds = facts.lastModified { #expect(!LastModified(seconds: seconds).fieldValue.isEmpty) }
                    // What is written again is read again.
                    let written = StoredResponse(
                        status: 200, fields: facts.fields, requestTime: validated, responseTime: validated,
                        createdAt: validated)
                    #expect(StoredResult.Facts(written)?.source == facts.source)
                }
            }
        }
        #expect(Self.facts([:], .now) != nil)
        #expect(Self.facts(["X-Source-Age": "9223372036854775807"], .now) == nil)
        #expect(Self.facts(["X-Source-Remaining": "-9223372036854775808"], .now)?.source.remaining == nil)
    }

    private static func facts(_ changes: [String: String], _ validated: WallTime) -> StoredResult.Facts? {
        var values = [
            "Content-Type": "image/png", "ETag": "\"a\"", "X-Source-Digest": "00", "X-Frames": "1", "X-Damaged": "0",
            "X-Source-Age": "0",
        ]
        values.merge(changes) { $1 }
        var fields = HeaderFields()
        for (name, value) in values { fields.append(name, value) }
        return StoredResult.Facts(
            StoredResponse(
                status: 200, fields: fields, requestTime: validated, responseTime: validated, createdAt: validated))
    }

    /// The forged entry is a miss, the file is gone, and the next result takes its place.
    @Test func forgedEntryIsRemovedAndReplaced() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("forged-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = ServiceConfiguration.Cache()
        configuration.directory = folder.path
        let key = ResultKey(canonical: Array("target".utf8))
        let name = try #require(key.cacheKey)
        var fields: HeaderFields = [
            "Content-Type": "image/png", "ETag": "\"a\"", "X-Source-Digest": "00", "X-Frames": "1", "X-Damaged": "0",
        ]
        fields.append("X-Source-Age", "9223372036854775807")
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: .now, responseTime: .now, createdAt: .now)
        let attacker = ResultCache(configuration)
        #expect(try #require(attacker.disk).store(CacheEntry(key: name, response: response), body: [1, 2, 3]))

        let cache = ResultCache(configuration)
        #expect(await cache.resultOnDisk(key) == nil)
        #expect(cache.disk?.header(name) == nil)

        let facts = try #require(Self.facts([:], .now))
        await cache.store(StoredResult(bytes: [4], facts: facts), key)
        #expect(await ResultCache(configuration).resultOnDisk(key)?.bytes == [4])
    }
}
