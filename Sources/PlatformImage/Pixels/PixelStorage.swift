// The only owner of raw pixel memory in Swift, and the only place that makes spans of it.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Pixel bytes of exactly one allocation.
///
/// Below 4 MB they come from `malloc`. From there on they are mapped: the start lies on a 2 MB boundary, so that the
/// kernel may back it with huge pages, and the length is the byte count rounded up to one page. First touching fresh
/// small pages costs as much as decoding a JPEG; the rounding keeps counted and resident bytes within one page.
@safe final class PixelStorage: Sendable {
    let byteCount: Int
    /// Set once, written only before the storage is shared: `withMutableBytes` is called by the one who made it.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer

    static let mappedFrom = 4 << 20

    /// Bytes that the system gives for `byteCount` bytes of pixels: whole pages from ``mappedFrom`` on.
    static func allocatedByteCount(_ byteCount: Int) -> Int {
        byteCount < mappedFrom ? byteCount : PixelPool.mappedLength(byteCount)
    }

    private static let live = Atomic<Int>(0)
    static var liveBytes: Int { live.load(ordering: .relaxed) }

    /// Nil when the system has no memory left.
    ///
    /// - Parameter zeroed: When false the bytes may be anything, also those of a bitmap that is gone: the caller
    ///   writes every one of them before anybody reads.
    init?(byteCount: Int, zeroed: Bool) {
        precondition(byteCount > 0)
        guard let base = unsafe Self.allocate(byteCount, zeroed: zeroed) else { return nil }
        unsafe self.base = base
        self.byteCount = byteCount
        Self.live.add(byteCount, ordering: .relaxed)
    }

    deinit {
        if byteCount < Self.mappedFrom {
            unsafe free(base)
        } else {
            unsafe PixelPool.shared.put(PixelPool.Mapping(base: base, length: PixelPool.mappedLength(byteCount)))
        }
        Self.live.subtract(byteCount, ordering: .relaxed)
    }

    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let start = unsafe base.assumingMemoryBound(to: UInt8.self)
        let buffer = unsafe UnsafeBufferPointer(start: start, count: byteCount)
        return try unsafe body(buffer.span)
    }

    /// For the one who made this storage, before it is shared.
    func withMutableBytes<R, E: Error>(_ body: (inout MutableSpan<UInt8>) throws(E) -> R) throws(E) -> R {
        let start = unsafe base.assumingMemoryBound(to: UInt8.self)
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: byteCount)
        var span = unsafe buffer.mutableSpan
        return try body(&span)
    }

    /// For the codecs, before the storage is shared: `byteCount` writable bytes, valid during the call.
    func withMutablePointer<R, E: Error>(_ body: (UnsafeMutableRawPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(base)
    }

    private static func allocate(_ byteCount: Int, zeroed: Bool) -> UnsafeMutableRawPointer? {
        if byteCount < mappedFrom { return unsafe zeroed ? calloc(1, byteCount) : malloc(byteCount) }
        let length = PixelPool.mappedLength(byteCount)
        if let pooled = unsafe PixelPool.shared.take(length: length) {
            if zeroed { unsafe memset(pooled, 0, byteCount) }
            return unsafe pooled
        }
        return unsafe PixelPool.map(length: length)
    }
}
