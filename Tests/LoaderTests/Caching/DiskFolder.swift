#if Loader
import Foundation
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// A folder of its own for one test, removed with it, and the cache's files in it as bytes.
final class DiskFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "disk-cache-\(UUID().uuidString)"
        // Under umask 002 it would be writable for the group, and not be used.
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

    /// Every path below the folder that is no folder itself.
    var files: [String] {
        let below = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return below.filter { name in
            var isFolder: ObjCBool = false
            // A link to a folder is no folder here.
            let type = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[.type] as? FileAttributeType
            if type == .typeSymbolicLink { return true }
            return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// The paths of the entries' files.
    var entryFiles: [String] { files.filter { $0.hasPrefix("v1/") && !$0.hasSuffix(".tmp") } }

    /// The path of a key's newest response.
    func file(of key: CacheKey) -> String { path + "/" + DiskName(key.bytes).path }

    func bytes(of key: CacheKey) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file(of: key)))) }

    /// Puts other bytes where an entry is, in the way of `rm` and a fresh file.
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

/// A calendar clock that a test sets.
final class TestClock: Sendable {
    private let time = Locked(WallTime(seconds: 1_800_000_000))

    var now: WallTime { time.value }

    func advance(_ seconds: Int64) { time.update { $0 = $0.adding(milliseconds: seconds * 1000) } }

    func set(_ moment: WallTime) { time.update { $0 = moment } }
}

/// The key of an address that the test knows to be one.
func diskKey(_ name: String, partition: String = "") -> CacheKey {
    guard let key = CacheKey(url: "http://example.com/" + name, partition: partition) else {
        preconditionFailure("no address: \(name)")
    }
    return key
}

/// An entry whose header names its version, so that a body of another version is seen to be one.
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

/// Bytes that a key's version and nothing else decides.
func diskBody(_ key: CacheKey, version: Int = 0, count: Int = 100) -> [UInt8] {
    var random = SplitMix(seed: UInt64(version) &* 7919 &+ key.bytes.reduce(0) { $0 &* 31 &+ UInt64($1) })
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
#endif
