import Foundation
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// A temporary folder for one test, removed on deinit, with access to the cache's files as bytes.
final class DiskFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "disk-cache-\(UUID().uuidString)"
        // Under umask 002 the folder would be writable for the group, and the cache would not use it.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func cache(
        maxBytes: Int? = nil, retryAfter: Duration = .seconds(1), clock: TestClock? = nil
    ) -> DiskCache {
        if let clock {
            return DiskCache(directory: path, maxBytes: maxBytes, retryAfter: retryAfter, now: { clock.now })
        }
        return DiskCache(directory: path, maxBytes: maxBytes, retryAfter: retryAfter)
    }

    /// The relative paths of all files below the folder, without folders.
    var files: [String] {
        let below = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return below.filter { name in
            var isFolder: ObjCBool = false
            // A symbolic link to a folder counts as a file.
            let type = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[.type] as? FileAttributeType
            if type == .typeSymbolicLink { return true }
            return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// The paths of the entry files.
    var entryFiles: [String] { files.filter { $0.hasPrefix("v1/") && !$0.hasSuffix(".tmp") } }

    /// The path of a key's newest response.
    func file(of key: CacheKey) -> String { path + "/" + DiskName(key.bytes).path }

    func bytes(of key: CacheKey) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file(of: key)))) }

    /// Replaces the file of an entry by a new file with these bytes.
    func replace(_ key: CacheKey, with bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(of: key)))
    }
}

/// Faults that a cache reported.
final class TestFaults: Sendable {
    private let reported = Locked<[DiskCache.Fault]>([])

    var kinds: [DiskCache.Fault] { reported.value }

    func add(_ fault: DiskCache.Fault, _ text: String) { reported.update { $0.append(fault) } }
}

/// A wall clock that the test sets.
final class TestClock: Sendable {
    private let time = Locked(WallTime(seconds: 1_800_000_000))

    var now: WallTime { time.value }

    func advance(_ seconds: Int64) { time.update { $0 = $0.adding(milliseconds: seconds * 1000) } }

    func set(_ newTime: WallTime) { time.update { $0 = newTime } }
}

/// The cache key of a URL on example.com; traps when the URL is not valid.
func diskKey(_ name: String, partition: String = "") -> CacheKey {
    guard let key = CacheKey(url: "http://example.com/" + name, partition: partition) else {
        preconditionFailure("no cache key for the name \(name)")
    }
    return key
}

/// An entry with its version in the header, so that a body of another version is detected.
func diskEntry(
    _ key: CacheKey, version: Int = 0, padding: Int = 0, vary: [VaryValue] = [], createdAt: Int64 = 1_800_000_000
) -> CacheEntry {
    var fields: HeaderFields = ["Content-Type": "image/png", "ETag": "\"\(version)\""]
    if padding > 0 { fields.append("X-Padding", String(repeating: "p", count: padding)) }
    return CacheEntry(
        key: key,
        response: StoredResponse(
            status: 200, fields: fields, requestTime: WallTime(milliseconds: 1_800_000_000_123),
            responseTime: WallTime(milliseconds: 1_800_000_000_456), createdAt: WallTime(seconds: createdAt),
            vary: vary))
}

/// Pseudorandom bytes that depend only on the key and the version.
func diskBody(_ key: CacheKey, version: Int = 0, count: Int = 100) -> [UInt8] {
    var random = SplitMix(seed: UInt64(version) &* 7919 &+ key.bytes.reduce(0) { $0 &* 31 &+ UInt64($1) })
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
