// Memory that a parent and a worker share.
//
// A hostile worker has the same memfd and a writable mapping. It can change every byte at any time:
// the parent reads each value once and checks the copy. It cannot make an access of the parent
// fail:
// - It cannot shrink the file (F_SEAL_SHRINK) and cannot add or remove seals (F_SEAL_SEAL). A seal
//   F_SEAL_GROW would let pisb_slab_grow fail, and F_SEAL_WRITE is impossible while a writable
//   mapping exists.
// - Growth changes only the size, a hole in the file only data (zeros). The filter of pisb_confine
//   forbids both calls.
// - madvise(MADV_HWPOISON) would let accesses of all mappings fail with SIGBUS. It requires
//   CAP_SYS_ADMIN; pisb_confine drops it and the filter forbids the advice.
// A lack of memory remains: the first touch of a page fails with SIGBUS when vm.overcommit_memory
// is 2 and the commit limit is reached, and a cgroup limit starts the OOM killer. Both are
// independent of the worker's behaviour, because the file never has more pages than the parent has
// granted.

#include "kernel.h"

#ifdef __linux__

#include <sys/mman.h>
#include <sys/stat.h>

static size_t whole_pages(size_t size);
static pisb_status enlarge(pisb_slab *slab, size_t capacity);

int pisb_memfd(const char *name) {
  unsigned flags = PISB_MFD_CLOEXEC | PISB_MFD_ALLOW_SEALING;
  int descriptor = (int)syscall(__NR_memfd_create, name, flags | PISB_MFD_NOEXEC_SEAL);
  // EINVAL: before Linux 6.3.
  if (descriptor < 0 && errno == EINVAL) descriptor = (int)syscall(__NR_memfd_create, name, flags);
  return descriptor;
}

// Without MADV_HUGEPAGE: it has no effect while shmem_enabled of transparent_hugepage is "never",
// the kernel's default.
static uint8_t *map(int descriptor, size_t capacity) {
  void *bytes = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return bytes == MAP_FAILED ? NULL : bytes;
}

pisb_status pisb_slab_create(size_t capacity, pisb_slab *slab) {
  *slab = (pisb_slab){.descriptor = -1};
  capacity = whole_pages(capacity);
  if (capacity == 0) {
    errno = ENOMEM;
    return PISB_FAILED;
  }
  int descriptor = pisb_memfd("pisb-slab");
  if (descriptor < 0) return PISB_FAILED;
  uint8_t *bytes = NULL;
  if (ftruncate(descriptor, (off_t)capacity) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    bytes = map(descriptor, capacity);
  if (!bytes) {
    pisb_close(descriptor);
    return PISB_FAILED;
  }
  *slab = (pisb_slab){descriptor, capacity, bytes};
  return PISB_OK;
}

pisb_status pisb_slab_grow(pisb_slab *slab, size_t capacity) {
  if (slab->bytes && capacity <= slab->capacity) return PISB_OK;
  size_t size = whole_pages(capacity);
  if (size == 0) {
    errno = ENOMEM;
    return PISB_FAILED;
  }
  // A smaller size than the current one would fail: an earlier growth may have had no memory for
  // its mapping.
  int64_t current = pisb_memfd_size(slab->descriptor);
  if (current < 0) return PISB_FAILED;
  if ((uint64_t)current < size && ftruncate(slab->descriptor, (off_t)size) != 0) return PISB_FAILED;
  return enlarge(slab, size);
}

pisb_status pisb_slab_open(int descriptor, size_t capacity, pisb_slab *slab) {
  *slab = (pisb_slab){.descriptor = -1};
  int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0) return PISB_FAILED;
  int64_t size = pisb_memfd_size(descriptor);
  if (size < 0) return PISB_FAILED;
  if (!(seals & F_SEAL_SHRINK) || capacity == 0 || (uint64_t)size < whole_pages(capacity) ||
      whole_pages(capacity) == 0) {
    errno = EINVAL;
    return PISB_FAILED;
  }
  uint8_t *bytes = map(descriptor, whole_pages(capacity));
  if (!bytes) return PISB_FAILED;
  *slab = (pisb_slab){descriptor, whole_pages(capacity), bytes};
  return PISB_OK;
}

pisb_status pisb_slab_extend(pisb_slab *slab, size_t capacity) {
  if (slab->bytes && capacity <= slab->capacity) return PISB_OK;
  size_t wanted = whole_pages(capacity);
  int64_t size = pisb_memfd_size(slab->descriptor);
  if (size < 0) return PISB_FAILED;
  if (wanted == 0 || (uint64_t)size < wanted) {
    errno = EINVAL;
    return PISB_FAILED;
  }
  return enlarge(slab, wanted);
}

pisb_status pisb_slab_release(pisb_slab *slab, size_t kept) {
  if (!slab->bytes) {
    errno = EBADF;
    return PISB_FAILED;
  }
  // From `kept` to the end of the file, which is after the mapping when a growth had no memory for
  // it.
  int64_t size = pisb_memfd_size(slab->descriptor);
  if (size < 0) return PISB_FAILED;
  if (kept >= (uint64_t)size) return PISB_OK;
  size_t start = kept == 0 ? 0 : whole_pages(kept);
  if (start >= (uint64_t)size) return PISB_OK;
  int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  int result;
  do result = fallocate(slab->descriptor, mode, (off_t)start, (off_t)size - (off_t)start);
  while (result != 0 && errno == EINTR);
  return result == 0 ? PISB_OK : PISB_FAILED;
}

void pisb_slab_close(pisb_slab *slab) {
  if (!slab->bytes) return;
  munmap(slab->bytes, slab->capacity);
  pisb_close(slab->descriptor);
  *slab = (pisb_slab){.descriptor = -1};
}

size_t pisb_slab_resident(const pisb_slab *slab) {
  if (!slab->bytes) return 0;
  // The blocks of a memfd are its allocated pages; pages in swap count as well. mincore would visit
  // every page.
  struct stat status;
  if (fstat(slab->descriptor, &status) != 0) return 0;
  return (size_t)status.st_blocks * 512;
}

// Rounds up; 0 when the result has more than 63 bits.
static size_t whole_pages(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (size > (size_t)INT64_MAX - page) return 0;
  return (size + page - 1) / page * page;
}

static pisb_status enlarge(pisb_slab *slab, size_t capacity) {
  void *bytes = mremap(slab->bytes, slab->capacity, capacity, MREMAP_MAYMOVE);
  if (bytes == MAP_FAILED) return PISB_FAILED;
  slab->bytes = bytes, slab->capacity = capacity;
  return PISB_OK;
}

#endif
