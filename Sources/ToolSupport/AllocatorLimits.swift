#if canImport(Glibc)
import Glibc
#endif

/// Limits the memory that glibc's allocator retains in a long-running process. By default glibc creates up to eight
/// arenas per core and raises the mmap threshold whenever a mapped block is freed.
///
/// With an mmap threshold of 4 MiB the allocator reuses the buffers that contain the encoded bytes of most source
/// images; with a threshold of 256 KiB these buffers were mapped again for each image, which cost 4 to 8 % of the time
/// of a render. Up to 8 MiB of free memory is retained at the top of an arena; with a smaller limit, the memory would
/// be unmapped and faulted in again. Pixel buffers are not affected, because the buffer pool of the bitmaps maps them.
///
/// With less than 1 GiB of memory the threshold is 256 KiB nevertheless. In a container with 256 MiB, 100 concurrent
/// requests left 100 MiB of freed source buffers in the arenas, and filling the cache of results exceeded the limit.
///
/// Call this function before other threads start; it has no effect with C libraries other than glibc.
///
/// - Parameter availableBytes: The memory that the process may use; see `AvailableMemory`.
package func limitAllocatorMemory(availableBytes: Int) {
    #if canImport(Glibc)
    _ = mallopt(arenaMax, 2)
    _ = mallopt(mmapThreshold, availableBytes < 1 << 30 ? 256 << 10 : 4 << 20)
    _ = mallopt(trimThreshold, 8 << 20)
    #endif
}

#if canImport(Glibc)
/// `M_ARENA_MAX`, `M_MMAP_THRESHOLD` and `M_TRIM_THRESHOLD` of `<malloc.h>`, which the module Glibc does not export.
private let (arenaMax, mmapThreshold, trimThreshold): (Int32, Int32, Int32) = (-8, -3, -1)

@_silgen_name("mallopt")
private func mallopt(_ parameter: Int32, _ value: Int32) -> Int32
#endif
