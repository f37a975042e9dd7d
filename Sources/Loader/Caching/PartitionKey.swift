import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The secret HMAC key that maps credentials to cache partitions: an entry's key does not reveal the credentials, and
/// password guesses cannot be tested against it without this secret.
///
/// The key is stored in the cache folder with mode 0600, so that the entries are found again after a restart. If it
/// cannot be written, it is used until the process exits; entries that depend on credentials are then not found after
/// a restart.
struct PartitionKey: Sendable {
    static let byteCount = 32
    static let fileName = "partition.key"

    private let bytes: [UInt8]

    /// Creates a random key.
    init() {
        bytes = secureRandomBytes(Self.byteCount)
    }

    /// Reads the key stored in a folder, or creates and stores a new one; blocks on the file system.
    ///
    /// Concurrent processes obtain an identical key: the first process to link its file determines it.
    init(directory: String) {
        // If other users can replace the key file, the key is not secret: a random key is used and not stored.
        guard DiskDirectory.isTrusted(directory) else {
            self.init()
            return
        }
        let path = directory + "/" + Self.fileName
        if let stored = Self.read(path) {
            self = stored
            return
        }
        let fresh = PartitionKey()
        let draft = path + ".\(UInt64.random(in: 0 ... .max))"
        defer { unlink(draft) }
        guard fresh.write(to: draft) else {
            self = fresh
            return
        }
        if link(draft, path) == 0 {
            self = fresh
        } else if let stored = Self.read(path) {
            self = stored
        } else {
            // The existing file contains no valid key, for example because the volume was full when it was written.
            _ = rename(draft, path)
            self = Self.read(path) ?? fresh
        }
    }

    /// Returns the partition of requests with these credentials: 64 hexadecimal digits, an HMAC of the values of
    /// `Authorization` and `Cookie`. Empty without either field: all requests without credentials share the empty
    /// partition.
    func partition(of fields: HeaderFields) -> String {
        let names = ["Authorization", "Cookie"].filter { fields.contains($0) }
        guard !names.isEmpty else { return "" }
        var hash = HMAC(.sha256, key: bytes)
        for name in names {
            for value in fields[lines: name] {
                // The length marks where a value ends, so that different values are never hashed as the same bytes.
                hash.update(Array("\(name) \(value.count) ".utf8) + value)
            }
        }
        return String(hexadecimal: hash.finalize())
    }

    private init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private static func read(_ path: String) -> PartitionKey? {
        guard let file = try? DiskFile(in: AT_FDCWD, name: terminated(path), flags: O_RDONLY),
            let status = try? file.status(), status.isRegular, status.length == byteCount,
            status.untrustedReason() == nil,
            let bytes = try? file.bytes(at: 0, count: byteCount)
        else { return nil }
        return PartitionKey(bytes)
    }

    private func write(to path: String) -> Bool {
        do throws(DiskError) {
            let file = try DiskFile(
                in: AT_FDCWD, name: Self.terminated(path), flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try file.write(bytes, at: 0)
            try file.close()
            return true
        } catch {
            return false
        }
    }

    private static func terminated(_ path: String) -> [CChar] { path.utf8.map { CChar(bitPattern: $0) } + [0] }
}
