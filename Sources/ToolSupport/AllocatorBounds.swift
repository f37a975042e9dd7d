#if Tool && Service
#if canImport(Glibc)
import Glibc
#endif

/// Bounds what the C library's allocator keeps for itself in a process that runs for months: glibc gives each thread an
/// arena of its own, and raises the size from which on memory goes back to the system with every large block freed.
///
/// 4 MiB lets the buffers of most sources be used again; with 256 KiB each was mapped anew, which cost 4 to 8 % of a
/// render. What is free at the end of an arena is kept up to 8 MiB: less, and each of them would be given back and
/// faulted in again. Pixels are mapped by the bitmaps' own pool. Call it before there are threads. Other C libraries do
/// none of this.
package func boundAllocator() {
    #if canImport(Glibc)
    _ = mallopt(arenaMax, 2)
    _ = mallopt(mmapThreshold, 4 << 20)
    _ = mallopt(trimThreshold, 8 << 20)
    #endif
}

#if canImport(Glibc)
/// M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of `<malloc.h>`, which the module Glibc leaves out.
private let (arenaMax, mmapThreshold, trimThreshold): (Int32, Int32, Int32) = (-8, -3, -1)

@_silgen_name("mallopt")
private func mallopt(_ parameter: Int32, _ value: Int32) -> Int32
#endif
#endif
