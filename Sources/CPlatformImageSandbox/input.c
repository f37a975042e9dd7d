// Sealed memfds for the inputs of requests: their content and size cannot change.

#include "kernel.h"

#ifdef __linux__

#include <sys/mman.h>

int pisb_sealed_copy(const void *bytes, size_t count) {
  // A mapping of 0 bytes is impossible.
  if (count == 0 || count > (size_t)INT64_MAX) {
    errno = EINVAL;
    return -1;
  }
  int descriptor = pisb_memfd("pisb-input");
  if (descriptor < 0) return -1;
  for (size_t done = 0; done < count;) {
    // One call writes at most 2 GiB - 4 KiB.
    ssize_t size = write(descriptor, (const uint8_t *)bytes + done, count - done);
    if (size > 0)
      done += (size_t)size;
    else if (size == 0 || errno != EINTR) {
      if (size == 0) errno = EIO;
      pisb_close(descriptor);
      return -1;
    }
  }
  if (fcntl(descriptor, F_ADD_SEALS, PISB_SEALED) != 0) {
    pisb_close(descriptor);
    return -1;
  }
  return descriptor;
}

const uint8_t *pisb_map_input(int descriptor, size_t count) {
  void *bytes = MAP_FAILED;
  int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals >= 0 && (seals & PISB_SEALED) == PISB_SEALED && count > 0 && count <= INT64_MAX &&
      pisb_memfd_size(descriptor) == (int64_t)count)
    bytes = mmap(NULL, count, PROT_READ, MAP_PRIVATE, descriptor, 0);
  else if (seals >= 0)
    errno = EINVAL;
  pisb_close(descriptor);
  return bytes == MAP_FAILED ? NULL : bytes;
}

void pisb_unmap_input(const uint8_t *bytes, size_t count) {
  if (bytes) munmap((void *)bytes, count);
}

#endif
