import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// The cache does not use folders that other users may write to.
struct DiskOwnershipTests {
    private let folder: DiskFolder
    private let key = diskKey("a.png")

    init() throws { folder = try DiskFolder() }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Creates a cache on the folder, stores and reads an entry. Returns whether both succeeded, and the reported
    /// faults.
    private func storeAndRead() -> (isUsed: Bool, faults: [DiskCache.Fault]) {
        let faults = TestFaults()
        let cache = DiskCache(directory: folder.path, onFault: { faults.add($0, $1) })
        let isStored = cache.store(diskEntry(key), body: [1, 2, 3])
        let isRead = cache.read(key) != nil
        #expect(isStored == isRead)
        return (isStored && isRead, faults.kinds)
    }

    @Test(.requirement("X12"), arguments: [0o777, 0o775, 0o722])
    func folderWritableByGroupOrOthersIsNotUsed(_ mode: Int) throws {
        try setMode(mode, of: folder.path)

        let (isUsed, faults) = storeAndRead()

        #expect(!isUsed)
        #expect(faults == [.noPermission])
        #expect(folder.entryFiles == [])
    }

    @Test(.requirement("X12")) func folderMadeWritableForAllUsersAfterAStoreIsNotRead() throws {
        #expect(storeAndRead().isUsed)

        try setMode(0o777, of: folder.path + "/v1")

        let cache = folder.cache()
        #expect(cache.read(key) == nil)
        #expect(cache.statistics.faults[.noPermission] == 1)
    }

    @Test(.requirement("X12"), arguments: ["", "/v1"])
    func folderOwnedByAnotherUserIsNotUsed(_ part: String) throws {
        // Only root may change the owner of a folder.
        guard geteuid() == 0 else { return }
        #expect(storeAndRead().isUsed)
        #expect(chown(folder.path + part, 12_345, 12_345) == 0)

        let (isUsed, faults) = storeAndRead()

        #expect(!isUsed)
        #expect(faults == [.noPermission])
    }

    @Test(.requirement("X12"), arguments: [0o700, 0o755, 0o750])
    func folderWritableOnlyByItsOwnerIsUsed(_ mode: Int) throws {
        try setMode(mode, of: folder.path)

        let (isUsed, faults) = storeAndRead()

        #expect(isUsed && faults.isEmpty)
    }

    @Test(.requirement("X12")) func stickyWorldWritableFolderIsUsedWithASubfolderOfMode0700() throws {
        try setMode(0o1777, of: folder.path)

        let (isUsed, faults) = storeAndRead()

        #expect(isUsed && faults.isEmpty)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/v1")[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test(.requirement("X12")) func foldersCreatedByTheCacheUnderAnyUmaskAreUsed() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try DiskFolder()
            for (number, mask) in [mode_t(0o002), 0o000, 0o077].enumerated() {
                umask(mask)
                let path = folder.path + "/\(number)/a/b"
                let cache = DiskCache(directory: path)
                #expect(cache.store(diskEntry(diskKey("a")), body: [1]))
                #expect(DiskCache(directory: path).read(diskKey("a"))?.body == [1])
                #expect(cache.statistics.faults.isEmpty)
            }
        }
    }

    @Test(.requirement("X12")) func loadWithAWorldWritableCacheFolderSucceedsAndReportsAFault() async throws {
        try setMode(0o777, of: folder.path)
        let events = Locked<[LoaderEvent]>([])
        let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60))) {
            $0.cacheDirectory = folder.path
            $0.eventSink = { event in events.update { $0.append(event) } }
        }

        let image = try await bench.loader.image(for: ImageRequest(url: LoaderBench.url))
        await bench.loader.flush()

        #expect(image.source == .networkToDisk && !image.isStored)
        let faults = events.value.compactMap { event -> DiskCache.Fault? in
            if case .diskFault(let fault, let directory, _) = event.kind, directory == folder.path {
                fault
            } else {
                nil
            }
        }
        #expect(faults == [.noPermission])
        #expect(folder.files == [], "the folder contains neither an entry nor a key")
    }

    @Test(.requirement("X12")) func partitionKeyFileWritableByOthersIsNotUsed() throws {
        let fields: HeaderFields = ["Authorization": "Bearer a"]
        let first = PartitionKey(directory: folder.path).partition(of: fields)
        #expect(PartitionKey(directory: folder.path).partition(of: fields) == first)

        try setMode(0o666, of: folder.path + "/" + PartitionKey.fileName)

        #expect(PartitionKey(directory: folder.path).partition(of: fields) != first)
    }
}
