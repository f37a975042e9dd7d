import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Files with valid checksums and manipulated fields, as a program with write access to the folder can create them.
struct DiskForgeryTests {
    private let folder: DiskFolder
    private let key = diskKey("a.png")

    init() throws { folder = try DiskFolder() }

    /// Makes the key's file a sparse file with a body of `bodyLength` zeros and a header that states this length.
    private func forge(bodyLength: Int) throws {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [])
        var head = Array(try folder.bytes(of: key))
        let slot = try #require(DiskFormat.slots(inHeader: head, slotSize: 1024).first)
        var metadata = try #require(DiskMetadata(slot.payload))
        metadata.bodyLength = bodyLength
        let payload = try #require(metadata.encoded())
        let forged = try #require(DiskFormat.slot(sequence: 2, payload: payload, size: 1024))
        head.replaceSubrange(8..<(8 + 1024), with: forged)
        try folder.replace(key, with: head)
        #expect(truncate(folder.file(of: key), off_t(DiskFormat.headerSize(slotSize: 1024) + bodyLength)) == 0)
    }

    @Test(.requirement("X12")) func entryWithAForgedBodyLengthIsAMissAndDoesNotCrash() async throws {
        try forge(bodyLength: 1_000_000_000_000)
        let cache = folder.cache()

        #expect(cache.read(key) == nil)
        #expect(await cache.verify().good == 0)
        #expect(cache.store(diskEntry(key, version: 1), body: [1, 2, 3]))
        #expect(cache.read(key)?.body == [1, 2, 3])
    }

    @Test(.requirement("X12")) func storedBodyOverMaxResponseBytesIsRequestedAgain() async throws {
        let bench = try LoaderBench(.image(TestImage.first, maxAge: 3600))
        _ = await bench.steps()
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])

        try bench.loader.update { $0.maxResponseBytes = TestImage.first.count - 1 }
        #expect(await bench.steps() == ["sending", "failed bodyTooLarge"])

        try bench.loader.update { $0.maxResponseBytes = TestImage.first.count }
        #expect(await bench.steps() == ["cached disk fresh", "finished disk"])
    }

    @Test(.requirement("X12")) func entryWithForgedLengthsInItsHeaderIsAMissOrIsReadWithItsStoredBody() throws {
        let cache = folder.cache()
        cache.store(diskEntry(key), body: [1, 2, 3])
        let whole = try folder.bytes(of: key)
        let slot = try #require(DiskFormat.slots(inHeader: whole, slotSize: 1024).first)
        // Each run sets another pair of adjacent bytes to 0xFFFF. Two of the pairs are the key's length and the number
        // of Vary fields.
        for start in slot.payload.startIndex..<(slot.payload.endIndex - 1) {
            var payload = slot.payload
            payload[start] = 0xFF
            payload[start + 1] = 0xFF
            var forged = whole
            let bytes = try #require(DiskFormat.slot(sequence: 2, payload: Array(payload), size: 1024))
            forged.replaceSubrange(8..<(8 + 1024), with: bytes)
            try folder.replace(key, with: forged)
            let hit = cache.read(key)
            #expect(hit == nil || hit?.body == [1, 2, 3], "\(start)")
        }
    }
}
