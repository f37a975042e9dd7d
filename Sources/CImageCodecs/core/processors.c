// The number of processors that the calling thread may run on.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for sched_getaffinity and the CPU_ALLOC macros
#endif

#include "CImageCodecs/system.h"

#ifdef __linux__

#include <errno.h>
#include <sched.h>

uint32_t imgc_affinity_count(void) {
  // The Linux kernel rejects a CPU set that is smaller than the kernel's internal set (EINVAL). The
  // largest kernel configuration has 8,192 processors; the loop allows more as a margin.
  for (int processors = 1024; processors <= 1 << 18; processors *= 4) {
    cpu_set_t *set = CPU_ALLOC(processors);
    if (!set) return 0;
    size_t size = CPU_ALLOC_SIZE(processors);
    CPU_ZERO_S(size, set);
    int failure = sched_getaffinity(0, size, set) == 0 ? 0 : errno;
    int count = failure == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (failure != EINVAL) return count > 0 ? (uint32_t)count : 0;
  }
  return 0;
}

#else

uint32_t imgc_affinity_count(void) { return 0; }

#endif
