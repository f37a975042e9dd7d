// The owner of raw pixel memory in Swift; spans of this memory are created only in this file.

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The pixel bytes of one allocation.
///
/// Buffers of less than 4 MiB come from `malloc`. Larger buffers are mapped. They are aligned to 2 MiB, so that the
/// kernel may use huge pages: page faults on new pages are a considerable part of the time of a decode. Their length is
/// rounded up to whole pages, so it exceeds ``byteCount`` by less than one page.
@safe final class PixelStorage: Sendable {
    let byteCount: Int
    /// The pointer never changes. The bytes are written only while the storage is not shared.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    /// False for memory that the caller of ``borrowing(_:byteCount:_:)`` owns.
    private let isOwned: Bool

    static let mappedFrom = PixelPool.mappedFrom

    /// Bytes allocated for `byteCount` bytes of pixels: rounded up to whole pages from ``mappedFrom`` on.
    static func allocatedByteCount(_ byteCount: Int) -> Int {
        byteCount < mappedFrom ? byteCount : PixelPool.mappedLength(byteCount)
    }

    private static let live = Atomic<Int>(0)
    static var liveBytes: Int { live.load(ordering: .relaxed) }

    /// Allocates pixels; nil when the system has no memory left.
    ///
    /// - Parameter zeroed: When false the content is undefined and may be that of a released bitmap: the caller writes
    ///   every byte before any is read.
    init?(byteCount: Int, zeroed: Bool) {
        precondition(byteCount > 0)
        guard let base = unsafe PixelPool.shared.allocate(byteCount: byteCount, zeroed: zeroed) else { return nil }
        unsafe self.base = base
        self.byteCount = byteCount
        isOwned = true
        Self.live.add(byteCount, ordering: .relaxed)
    }

    private init(borrowed base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe self.base = base
        self.byteCount = byteCount
        isOwned = false
    }

    /// Calls `body` with a storage in the first `byteCount` bytes of `bytes`, which ends with the call.
    static func borrowing<R, E: Error>(
        _ bytes: inout MutableSpan<UInt8>, byteCount: Int, _ body: (PixelStorage) throws(E) -> R
    ) throws(E) -> R {
        precondition(byteCount > 0 && byteCount <= bytes.count)
        return try unsafe bytes.withUnsafeMutableBytes { (buffer) throws(E) -> R in
            guard let base = buffer.baseAddress else { preconditionFailure("the bytes have no address") }
            var storage = unsafe PixelStorage(borrowed: base, byteCount: byteCount)
            defer { precondition(isKnownUniquelyReferenced(&storage), "borrowed pixels are still in use") }
            return try body(storage)
        }
    }

    deinit {
        guard isOwned else { return }
        unsafe PixelPool.shared.free(base, byteCount: byteCount)
        Self.live.subtract(byteCount, ordering: .relaxed)
    }

    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let start = unsafe base.assumingMemoryBound(to: UInt8.self)
        let buffer = unsafe UnsafeBufferPointer(start: start, count: byteCount)
        return try unsafe body(buffer.span)
    }

    /// Calls `body` with the pixels in `range`, a range of 4-byte units.
    func withPixels<R, E: Error>(
        _ range: Range<Int>, _ body: (Span<RGBA8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount / 4)
        // The struct has four bytes in the order of the memory, and no alignment.
        let start = unsafe (base + range.lowerBound * 4).assumingMemoryBound(to: RGBA8.self)
        return try unsafe body(UnsafeBufferPointer(start: start, count: range.count).span)
    }

    /// True when both have equal bytes.
    func hasEqualBytes(_ other: PixelStorage) -> Bool {
        if self === other { return true }
        guard byteCount == other.byteCount else { return false }
        return unsafe memcmp(base, other.base, byteCount) == 0
    }

    /// Calls `body` with the writable bytes; only the creator of the storage may call it, before the storage is shared.
    func withMutableBytes<R, E: Error>(_ body: (inout MutableSpan<UInt8>) throws(E) -> R) throws(E) -> R {
        let start = unsafe base.assumingMemoryBound(to: UInt8.self)
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: byteCount)
        var span = unsafe buffer.mutableSpan
        return try body(&span)
    }

    /// Calls `body` with a pointer to `byteCount` writable bytes, valid during the call, for C codecs; not for shared
    /// storage.
    func withMutablePointer<R, E: Error>(_ body: (UnsafeMutableRawPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(base)
    }
}

extension PixelStorage {
    /// Allocates the storage of a bitmap of `width` x `height` pixels.
    ///
    /// - Parameter limits: `maxSide`, `maxPixels` and `maxMemory` apply.
    /// - Throws: `invalidArgument` when a side is below 1, `limitExceeded`, `outOfMemory`.
    static func forBitmap(
        width: Int, height: Int, limits: DecodeLimits, zeroed: Bool
    ) throws(DecodeError) -> PixelStorage {
        try DecodeError.check(width, "width", isIn: 1 ... .max)
        try DecodeError.check(height, "height", isIn: 1 ... .max)
        try limits.checkBitmap(width: width, height: height)
        let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
        guard !overflows, pixels <= Int.max / 4, let storage = PixelStorage(byteCount: pixels * 4, zeroed: zeroed)
        else { throw DecodeError(.outOfMemory, "out of memory: \(width) x \(height) pixels") }
        return storage
    }
}
