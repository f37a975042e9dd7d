// Memory of pixels and codecs: small buffers from `malloc`; large ones mapped, trimmed and reused.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Just-freed mappings kept for the next decode, so that its pages need no faults.
///
/// One a process, like `malloc`'s free lists: the memory that it saves is the process's. `Docs/decisions/0003` says
/// what it wins.
final class PixelPool: Sendable {
    static let shared = PixelPool(maxBytes: 32 << 20)

    @unsafe struct Mapping {
        let base: UnsafeMutableRawPointer
        let length: Int  // bytes, whole pages
    }

    private struct State {
        // Oldest first; some dozen entries at most, since each is at least 1 MB.
        var mappings: [(address: UInt, length: Int)] = []
        var byteCount = 0
    }

    private let maxBytes: Int
    private let state = Mutex(State())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    var byteCount: Int { state.locked(in: self) { $0.byteCount } }

    /// The smallest kept mapping that is large enough, cut to `length`; nil when there is none.
    ///
    /// Its bytes are those of an earlier bitmap. A mapping over twice as large is left for a larger picture.
    func take(length: Int) -> UnsafeMutableRawPointer? {
        let found = state.locked(in: self) { state -> (address: UInt, length: Int)? in
            var best: Int?
            for (index, mapping) in state.mappings.enumerated()
            where mapping.length >= length && mapping.length / 2 <= length {
                if let current = best, state.mappings[current].length <= mapping.length { continue }
                best = index
            }
            guard let best else { return nil }
            let mapping = state.mappings.remove(at: best)
            state.byteCount -= mapping.length
            return mapping
        }
        guard let found, let base = unsafe UnsafeMutableRawPointer(bitPattern: found.address) else { return nil }
        if found.length > length { unsafe munmap(base + length, found.length - length) }
        return unsafe base
    }

    /// A kept mapping for that many bytes, or a fresh one; nil when there is no memory. Its bytes may be anything.
    func takeOrMap(byteCount: Int) -> UnsafeMutableRawPointer? {
        let length = Self.mappedLength(byteCount)
        if let kept = unsafe take(length: length) { return unsafe kept }
        return unsafe Self.map(length: length)
    }

    /// Takes back what ``takeOrMap(byteCount:)`` gave.
    func put(_ base: UnsafeMutableRawPointer?, byteCount: Int) {
        guard let base = unsafe base else { return }
        unsafe put(Mapping(base: base, length: Self.mappedLength(byteCount)))
    }

    /// Keeps the mapping, letting the oldest go until all fit; one larger than the pool is unmapped.
    func put(_ mapping: Mapping) {
        let (address, length) = unsafe (UInt(bitPattern: mapping.base), mapping.length)
        var leaving: [(address: UInt, length: Int)] = []
        if length > maxBytes {
            leaving = [(address, length)]
        } else {
            state.locked(in: self) { state in
                while state.byteCount + length > maxBytes {
                    let oldest = state.mappings.removeFirst()
                    state.byteCount -= oldest.length
                    leaving.append(oldest)
                }
                state.mappings.append((address, length))
                state.byteCount += length
            }
        }
        Self.unmap(leaving)
    }

    /// Buffers of at least so many bytes are mapped.
    static let mappedFrom = 4 << 20

    /// Memory for that many bytes, at least 1; nil when there is none. It goes back with ``free(_:byteCount:)``.
    ///
    /// - Parameter zeroed: When false the bytes may be anything.
    func allocate(byteCount: Int, zeroed: Bool) -> UnsafeMutableRawPointer? {
        if byteCount < Self.mappedFrom { return unsafe zeroed ? calloc(1, byteCount) : malloc(byteCount) }
        let length = Self.mappedLength(byteCount)
        if let pooled = unsafe take(length: length) {
            if zeroed { unsafe memset(pooled, 0, byteCount) }
            return unsafe pooled
        }
        return unsafe Self.map(length: length)
    }

    /// Takes back what ``allocate(byteCount:zeroed:)`` gave.
    func free(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        if byteCount < Self.mappedFrom {
            unsafe systemFree(base)
        } else {
            unsafe put(Mapping(base: base, length: Self.mappedLength(byteCount)))
        }
    }

    func removeAll() {
        let leaving = state.locked(in: self) { state in
            defer { state = State() }
            return state.mappings
        }
        Self.unmap(leaving)
    }

    private static func unmap(_ mappings: [(address: UInt, length: Int)]) {
        for mapping in mappings {
            if let base = unsafe UnsafeMutableRawPointer(bitPattern: mapping.address) {
                unsafe munmap(base, mapping.length)
            }
        }
    }

    /// Bytes; 4,096 on most machines, 16 or 64 KiB on some with ARM processors, where shorter steps cannot be unmapped.
    private static let pageSize = max(4096, SystemConfiguration.pageBytes)

    static func mappedLength(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) & ~(pageSize - 1) }

    /// Fresh zeroed pages, 2 MB-aligned and advised for huge pages; nil when there is no memory.
    static func map(length: Int) -> UnsafeMutableRawPointer? {
        let alignment = 2 << 20
        let (total, overflows) = length.addingReportingOverflow(alignment)
        guard !overflows else { return nil }
        guard
            let start = unsafe mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe start != UnsafeMutableRawPointer(bitPattern: -1)  // MAP_FAILED
        else { return nil }
        let before = (alignment - Int(bitPattern: start) & (alignment - 1)) & (alignment - 1)
        let base = unsafe start + before
        if before > 0 { unsafe munmap(start, before) }
        if alignment > before { unsafe munmap(base + length, alignment - before) }
        #if os(Linux)
        _ = unsafe madvise(base, length, MADV_HUGEPAGE)
        #endif
        return unsafe base
    }
}

// The method above has the name of the function that it calls.
private func systemFree(_ base: UnsafeMutableRawPointer) { unsafe free(base) }
