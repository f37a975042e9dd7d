// Scratch memory of one call.

#ifndef IMGC_SCRATCH_H
#define IMGC_SCRATCH_H

#include "CImageCodecs.h"

// At least `size` bytes of any content, from the request's memory from 1 MiB on; NULL when memory
// is exhausted. Release them with the same size.
void *imgc_work_take(const imgc_request *request, size_t size);
void imgc_work_give(const imgc_request *request, void *memory, size_t size);

#endif
