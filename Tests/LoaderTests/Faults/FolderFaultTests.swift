#if os(Linux)
import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageDiskCacheProbe
@testable import PlatformImageLoader

extension DiskFaults {
    @Suite struct FolderFaultTests {
        @Test(arguments: ["", "/v1"])
        func removedCacheFolderIsRecreatedByTheNextStore(part: String) async throws {
            let folder = try FaultFolder()
            let cache = DiskCache(directory: folder.path)
            for round in 0..<5 {
                DiskFaults.store(0..<10, version: round, in: cache)
                #expect(DiskFaults.readAndCheck(0..<10, of: cache).count == 10)

                try FileManager.default.removeItem(atPath: folder.path + part)

                #expect(DiskFaults.readAndCheck(0..<10, of: cache) == [])
            }
            DiskFaults.store(0..<10, version: 9, in: cache)
            let kept = await DiskFaults.expectSound(folder, 0..<10)
            #expect(kept.count == 10)
        }

        @Test func repeatedRemovalOfTheCacheFolderDoesNotStopAStoringProcess() async throws {
            let folder = try FaultFolder()
            let seed = Int(FaultSeed.of("folder removed") % 1_000_000)
            let worker = try DiskFaults.start(folder, .churn, seed, 1_000_000, 30, 0)

            let (status, removals) = try await offPool {
                var removals = 0
                while removals < 40, let line = worker.line() {
                    guard line.hasPrefix("done"), line.hasSuffix("7") else { continue }
                    if (try? FileManager.default.removeItem(atPath: folder.path)) != nil { removals += 1 }
                }
                worker.send(SIGKILL)
                return (worker.wait(), removals)
            }

            #expect(status == -SIGKILL)
            #expect(removals == 40)
            _ = await DiskFaults.expectSound(folder, 0..<30)
        }

        @Test func recentlyReadEntriesAreNotEvictedWhenTwiceTheByteLimitIsStored() async throws {
            let folder = try FaultFolder()
            let limit = 400_000
            let clock = Locked(1_800_000_000_000 as Int64)
            let cache = DiskCache(
                directory: folder.path, maxBytes: limit,
                now: {
                    clock.update { $0 += 10 }
                    return WallTime(milliseconds: clock.value)
                })
            let favourites = 0..<10
            DiskFaults.store(favourites, version: 1, in: cache)
            var traffic = 0
            var number = 100
            while traffic < 2 * limit {
                DiskFaults.store(number..<(number + 1), version: 1, in: cache)
                traffic += Oracle.body(number, version: 1).count + 2_056
                number += 1
                #expect(DiskFaults.readAndCheck(favourites, of: cache).count == favourites.count)
            }
            await cache.flush()

            let sum = folder.files.filter { $0 != "sweep.lock" }.reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                return sum + (attributes?[.size] as? Int ?? 0)
            }
            let counted = cache.statistics.bytes
            #expect(sum <= limit)
            #expect(counted == sum)
            #expect(DiskFaults.readAndCheck(favourites, of: cache).count == favourites.count)
            #expect(DiskFaults.readAndCheck(100..<110, of: cache) == [])
            #expect(DiskFaults.readAndCheck((number - 10)..<number, of: cache).count == 10)
        }

        @Test func storedFileNamesContainNoPartOfTheURL() async throws {
            let folder = try FaultFolder()
            let long = String(repeating: "a/../%2e%2e/", count: 600)
            let addresses = [
                "http://a.example/../../../etc/passwd", "http://a.example/..%2f..%2fetc", "http://a.example/%00",
                "http://a.example/\(long)", "http://a.example/\(long)b", "http://a.example/Picture",
                "http://a.example/picture", "http://b.example/picture", "https://a.example/picture",
                "http://a.example/picture?", "http://a.example/\u{1F5BC}", "http://a.example/con",
                "http://a.example/*?|",
            ]
            let cache = DiskCache(directory: folder.path)
            for (index, address) in addresses.enumerated() {
                var entry = Oracle.entry(index, version: 1)
                entry.key = try #require(CacheKey(url: address))
                #expect(cache.store(entry, body: Oracle.body(index, version: 1)))
            }

            for (index, address) in addresses.enumerated() {
                let key = try #require(CacheKey(url: address))
                let hit = try #require(cache.read(key))
                #expect(hit.body == Oracle.body(index, version: 1))
                #expect(hit.entry.response == Oracle.entry(index, version: 1).response)
            }
            let files = folder.files.filter { $0 != "sweep.lock" }
            #expect(files.count == addresses.count)
            #expect(files.allSatisfy { $0.wholeMatch(of: /v1\/[0-9a-f]{2}\/[0-9a-f]{62}/) != nil }, "\(files)")
        }
    }
}
#endif
