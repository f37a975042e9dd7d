#if Tool
import CPlatformImageChecksums

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The least that each operation of a disk cache can cost: the system calls for its files, one checksum, no doubts.
///
/// It reads into one buffer that it keeps, which a cache that hands bodies out cannot.
final class DiskBaseline {
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter maxBytes: Of the longest file.
    init(maxBytes: Int) {
        buffer = .allocate(byteCount: maxBytes, alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { buffer.deallocate() }

    /// The XXH3 of the last `bodyBytes` of a file; nil when it cannot be read.
    func checksum(_ path: String, bodyBytes: Int) -> UInt64? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count >= bodyBytes else { return nil }
        return pi_xxh3_64(buffer.baseAddress?.advanced(by: count - bodyBytes), bodyBytes)
    }

    /// Writes the file under another name and renames it.
    func store(_ bytes: [UInt8], at path: String) -> Bool {
        let temporary = path + ".tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        return count == bytes.count && rename(temporary, path) == 0
    }

    /// Overwrites `bytes` at `offset` of a file.
    func refresh(_ bytes: [UInt8], at offset: Int, of path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        close(descriptor)
        return count == bytes.count
    }
}
#endif
