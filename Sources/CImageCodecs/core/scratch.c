// Scratch memory: small blocks from malloc, large ones from the request's allocator.

#include "core/scratch.h"

#include <stdint.h>
#include <stdlib.h>

static bool is_large(const imgc_request *request, size_t size) {
  return size >= 1 << 20 && request->memory.allocate && request->memory.release;
}

void *imgc_scratch_alloc(const imgc_request *request, size_t size) {
  // The size of an object is at most PTRDIFF_MAX; half of it is a margin for an allocator that uses
  // signed sizes.
  if (size > PTRDIFF_MAX / 2) return NULL;
  if (is_large(request, size)) return request->memory.allocate(size);
  return malloc(size ? size : 1);
}

void imgc_scratch_free(const imgc_request *request, void *memory, size_t size) {
  if (!memory) return;
  if (is_large(request, size))
    request->memory.release(memory, size);
  else
    free(memory);
}
