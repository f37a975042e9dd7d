// Scratch memory of one call.

#ifndef IMGC_SCRATCH_H
#define IMGC_SCRATCH_H

#include "CImageCodecs/request.h"

// Allocates `size` bytes of undefined content, from the request's allocator if 1 MiB or more; NULL
// when memory is exhausted. Release the block with the same size.
void *imgc_scratch_alloc(const imgc_request *request, size_t size);
void imgc_scratch_free(const imgc_request *request, void *memory, size_t size);

#endif
