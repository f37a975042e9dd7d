#if Tool && Service
#if canImport(Glibc)
import Glibc
#endif

/// Bounds what the C library's allocator keeps for itself in a process that runs for months: glibc gives each thread an
/// arena of its own, and raises the size from which on memory goes back to the system with every large block freed.
///
/// 4 MiB lets the buffers of most sources be used again; with 256 KiB each was mapped anew, which cost 4 to 8 % of a
/// render. Pixels are mapped by the bitmaps' own pool. Call it before there are threads. Other C libraries do neither.
func boundAllocator() {
    #if canImport(Glibc)
    _ = mallopt(arenaMax, 2)
    _ = mallopt(mmapThreshold, 4 << 20)
    #endif
}

#if canImport(Glibc)
/// M_ARENA_MAX and M_MMAP_THRESHOLD of `<malloc.h>`, which the module Glibc leaves out.
private let (arenaMax, mmapThreshold): (Int32, Int32) = (-8, -3)

@_silgen_name("mallopt")
private func mallopt(_ parameter: Int32, _ value: Int32) -> Int32
#endif
#endif
