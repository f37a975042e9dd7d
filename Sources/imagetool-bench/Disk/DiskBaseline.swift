import CPlatformImageChecksums

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lower bound for the cost of each disk cache operation: the system calls for one file, and for a look-up also one
/// checksum of the body. Nothing is validated.
///
/// All reads use the same buffer; a cache must allocate memory for each body that it returns.
final class DiskBaseline {
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter maxBytes: Size of the largest file.
    init(maxBytes: Int) {
        buffer = .allocate(byteCount: maxBytes, alignment: 16)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { buffer.deallocate() }

    /// XXH3 (64 bits) of the last `bodyBytes` bytes of a file; `nil` when the file cannot be read or is shorter.
    func checksum(_ path: String, bodyBytes: Int) -> UInt64? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count >= bodyBytes else { return nil }
        return pi_xxh3_64(buffer.baseAddress?.advanced(by: count - bodyBytes), bodyBytes)
    }

    /// Writes a temporary file and renames it; returns false on an error.
    func store(_ bytes: [UInt8], at path: String) -> Bool {
        let temporary = path + ".tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        return count == bytes.count && rename(temporary, path) == 0
    }

    /// Overwrites bytes of a file at `offset`; returns false on an error.
    func refresh(_ bytes: [UInt8], at offset: Int, of path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        close(descriptor)
        return count == bytes.count
    }
}
