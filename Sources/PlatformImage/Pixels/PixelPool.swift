// Memory for pixels and codecs: small buffers come from `malloc`; large buffers are mapped, trimmed and reused.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pool of released mappings for reuse by later decodes, which avoids page faults.
///
/// There is one pool per process, like the free lists of `malloc`, so that one limit applies to all threads and queues.
/// Measurements: `Docs/decisions/0003`.
final class PixelPool: Sendable {
    static let shared = PixelPool(maxBytes: 32 << 20)

    @unsafe struct Mapping {
        let base: UnsafeMutableRawPointer
        let length: Int  // bytes, whole pages
    }

    private struct PoolState {
        // Oldest first; at most 32 entries, since the smallest mappings (codec scratch buffers) have 1 MiB.
        var mappings: [(address: UInt, length: Int)] = []
        var byteCount = 0
    }

    private let maxBytes: Int
    private let state = Mutex(PoolState())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    var byteCount: Int { state.locked(in: self) { $0.byteCount } }

    /// Removes the smallest pooled mapping that is large enough and trims it to `length`; nil when there is none.
    ///
    /// The memory contains data of an earlier bitmap or codec buffer. A mapping more than twice as large as `length` is
    /// not used; it remains in the pool for a larger image.
    func acquire(length: Int) -> UnsafeMutableRawPointer? {
        let reusable = state.locked(in: self) { state -> (address: UInt, length: Int)? in
            var bestIndex: Int?
            for (index, mapping) in state.mappings.enumerated()
            where mapping.length >= length && mapping.length / 2 <= length {
                if let current = bestIndex, state.mappings[current].length <= mapping.length { continue }
                bestIndex = index
            }
            guard let bestIndex else { return nil }
            let mapping = state.mappings.remove(at: bestIndex)
            state.byteCount -= mapping.length
            return mapping
        }
        guard let reusable, let base = unsafe UnsafeMutableRawPointer(bitPattern: reusable.address) else { return nil }
        if reusable.length > length { unsafe munmap(base + length, reusable.length - length) }
        return unsafe base
    }

    /// Returns a pooled or a new mapping; nil when there is no memory. The content is undefined.
    func acquireOrMap(byteCount: Int) -> UnsafeMutableRawPointer? {
        let length = Self.mappedLength(byteCount)
        if let pooled = unsafe acquire(length: length) { return unsafe pooled }
        return unsafe Self.map(length: length)
    }

    /// Releases memory that ``acquireOrMap(byteCount:)`` returned.
    func release(_ base: UnsafeMutableRawPointer?, byteCount: Int) {
        guard let base = unsafe base else { return }
        unsafe release(Mapping(base: base, length: Self.mappedLength(byteCount)))
    }

    /// Adds a mapping to the pool and unmaps the oldest ones until all fit; a mapping larger than the pool is unmapped.
    func release(_ mapping: Mapping) {
        let (address, length) = unsafe (UInt(bitPattern: mapping.base), mapping.length)
        var removed: [(address: UInt, length: Int)] = []
        if length > maxBytes {
            removed = [(address, length)]
        } else {
            state.locked(in: self) { state in
                while state.byteCount + length > maxBytes {
                    let oldest = state.mappings.removeFirst()
                    state.byteCount -= oldest.length
                    removed.append(oldest)
                }
                state.mappings.append((address, length))
                state.byteCount += length
            }
        }
        Self.unmap(removed)
    }

    /// Minimum size in bytes of a mapped buffer; smaller buffers come from `malloc`.
    static let mappedFrom = 4 << 20

    /// Allocates `byteCount` bytes, at least 1; nil when there is no memory. Release with ``free(_:byteCount:)``.
    ///
    /// - Parameter zeroed: When false the content is undefined.
    func allocate(byteCount: Int, zeroed: Bool) -> UnsafeMutableRawPointer? {
        if byteCount < Self.mappedFrom { return unsafe zeroed ? calloc(1, byteCount) : malloc(byteCount) }
        let length = Self.mappedLength(byteCount)
        if let pooled = unsafe acquire(length: length) {
            if zeroed { unsafe memset(pooled, 0, byteCount) }
            return unsafe pooled
        }
        return unsafe Self.map(length: length)
    }

    /// Releases memory that ``allocate(byteCount:zeroed:)`` returned.
    func free(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        if byteCount < Self.mappedFrom {
            unsafe systemFree(base)
        } else {
            unsafe release(Mapping(base: base, length: Self.mappedLength(byteCount)))
        }
    }

    func removeAll() {
        let removed = state.locked(in: self) { state in
            defer { state = PoolState() }
            return state.mappings
        }
        Self.unmap(removed)
    }

    private static func unmap(_ mappings: [(address: UInt, length: Int)]) {
        for mapping in mappings {
            if let base = unsafe UnsafeMutableRawPointer(bitPattern: mapping.address) {
                unsafe munmap(base, mapping.length)
            }
        }
    }

    /// Page size in bytes: 4,096 on most machines, 16 or 64 KiB on some with ARM processors. Only whole pages can be
    /// unmapped.
    private static let pageSize = max(4096, SystemConfiguration.pageBytes)

    static func mappedLength(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) & ~(pageSize - 1) }

    /// Maps zeroed pages, aligned to 2 MiB and advised for huge pages; nil when there is no memory.
    static func map(length: Int) -> UnsafeMutableRawPointer? {
        let alignment = 2 << 20
        let (total, overflows) = length.addingReportingOverflow(alignment)
        guard !overflows else { return nil }
        guard
            let start = unsafe mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe start != UnsafeMutableRawPointer(bitPattern: -1)  // MAP_FAILED
        else { return nil }
        let padding = (alignment - Int(bitPattern: start) & (alignment - 1)) & (alignment - 1)
        let base = unsafe start + padding
        if padding > 0 { unsafe munmap(start, padding) }
        if alignment > padding { unsafe munmap(base + length, alignment - padding) }
        unsafe adviseHugePages(base, byteCount: length)
        return unsafe base
    }

    private static func adviseHugePages(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        #if os(Linux)
        _ = unsafe madvise(base, byteCount, MADV_HUGEPAGE)
        #endif
    }

    /// Returns an array of `byteCount` bytes; `body` writes every byte.
    ///
    /// Large arrays are advised for huge pages, like pixels: the page faults of 48 MB took 24 ms with pages of 4 KiB
    /// and 5 ms with huge pages.
    static func array(byteCount: Int, writtenBy body: (inout MutableSpan<UInt8>) -> Void) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            if byteCount >= mappedFrom, let base = buffer.baseAddress {
                // The whole pages inside the array.
                let padding = -Int(bitPattern: base) & (pageSize - 1)
                let start = unsafe UnsafeMutableRawPointer(base) + padding
                unsafe adviseHugePages(start, byteCount: (byteCount - padding) & ~(pageSize - 1))
            }
            var bytes = unsafe buffer.extracting(..<byteCount).mutableSpan
            body(&bytes)
            initializedCount = byteCount
        }
    }
}

// A global function, because inside `PixelPool` the name `free` refers to its method.
private func systemFree(_ base: UnsafeMutableRawPointer) { unsafe free(base) }
