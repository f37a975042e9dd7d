// Mapped files that may shrink while they are read.

#ifndef IMGC_MAPPED_REGIONS_H
#define IMGC_MAPPED_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  IMGC_MAX_REGIONS = 512,
  IMGC_NO_REGION = -1,
};

// Registers a mapping of whole pages, before its first byte is read. From then on, a read of a page
// that the file no longer has returns zeros instead of raising SIGBUS. The first call installs the
// signal handler. Only the calling thread may read the mapping. Returns the index of the region;
// IMGC_NO_REGION when all regions are in use, when the handler cannot be installed, when another
// handler has replaced it, or when the calling thread blocks SIGBUS: the caller must then not read
// the mapping.
int imgc_region_add(const void *start, size_t size);
// Unregisters a region, before it is unmapped. Returns true when a read found a missing page.
bool imgc_region_remove(int region);

#endif
