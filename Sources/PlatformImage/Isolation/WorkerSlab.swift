internal import CPlatformImageSandbox

/// Memory that a program shares with one decode worker: inputs of requests and pixels of results.
///
/// The worker may change it at any time, so the program only writes it or copies from it. Used by one thread at a time.
@safe struct WorkerSlab: ~Copyable {
    private var slab: pisb_slab

    /// Creates the memory; for the program.
    ///
    /// - Throws: The system's error number.
    init(byteCount: Int) throws(ProcFile.Failure) {
        unsafe slab = pisb_slab(descriptor: -1, capacity: 0, bytes: nil)
        guard unsafe pisb_slab_create(byteCount, &slab) == PISB_OK else { throw .last }
    }

    /// Maps the memory behind a received descriptor; for the worker. Nil when it has the wrong kind or size.
    init?(opening descriptor: Int32, byteCount: Int) {
        unsafe slab = pisb_slab(descriptor: -1, capacity: 0, bytes: nil)
        guard unsafe pisb_slab_open(descriptor, byteCount, &slab) == PISB_OK else { return nil }
    }

    deinit {
        var slab = unsafe slab
        unsafe pisb_slab_close(&slab)
    }

    var descriptor: Int32 { unsafe slab.descriptor }
    var byteCount: Int { unsafe slab.capacity }
    var residentByteCount: Int { unsafe withUnsafePointer(to: slab) { unsafe pisb_slab_resident($0) } }

    /// Grows the memory; for the program. False when the system has no memory left.
    mutating func grow(to byteCount: Int) -> Bool {
        if byteCount <= self.byteCount { return true }
        let rounded = byteCount.addingClamped((1 << 20) - 1) & ~((1 << 20) - 1)
        return unsafe pisb_slab_grow(&slab, rounded) == PISB_OK
    }

    /// Maps memory that the program has added; for the worker.
    mutating func extend(to byteCount: Int) -> Bool {
        if byteCount <= self.byteCount { return true }
        return unsafe pisb_slab_extend(&slab, byteCount) == PISB_OK
    }

    /// Returns the pages after the first `kept` bytes to the system; they then contain zeros. False when that failed.
    mutating func release(keeping kept: Int) -> Bool { unsafe pisb_slab_release(&slab, kept) == PISB_OK }

    mutating func copy(_ bytes: Span<UInt8>, to start: Int) {
        precondition(start >= 0 && bytes.count <= byteCount - start)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress, let base = unsafe slab.bytes else { return }
            unsafe (base + start).update(from: from, count: source.count)
        }
    }

    /// Moves pixels to `storage` and sets their bytes in the slab to 0.
    mutating func move(from start: Int, to storage: PixelStorage) {
        precondition(start >= 0 && storage.byteCount <= byteCount - start)
        unsafe storage.withMutablePointer { target in
            guard let base = unsafe slab.bytes else { return }
            unsafe pisb_move(base + start, target.assumingMemoryBound(to: UInt8.self), storage.byteCount)
        }
    }

    /// Sets bytes to 0.
    mutating func clear(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
        guard let base = unsafe slab.bytes else { return }
        unsafe (base + range.lowerBound).update(repeating: 0, count: range.count)
    }

    /// The first byte.
    var start: UnsafePointer<UInt8>? { unsafe UnsafePointer(slab.bytes) }

    /// Calls `body` with a part of the memory; for the worker.
    mutating func withMutableBytes<R, E: Error>(
        _ range: Range<Int>, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
        let start = unsafe slab.bytes.map { unsafe $0 + range.lowerBound }
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: range.count)
        var span = unsafe buffer.mutableSpan
        return try body(&span)
    }
}
