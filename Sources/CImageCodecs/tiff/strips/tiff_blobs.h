// A look into compressed strips and tiles that carry a size of their own, before a codec
// believes it.

#ifndef IMGC_TIFF_BLOBS_H
#define IMGC_TIFF_BLOBS_H

#include "tiff/page/tiff_facts.h"

// False when the data cannot be given to the codec that is responsible for it.
bool tiff_blob_fits(const tiff_facts *facts, const uint8_t *data, uint64_t size, uint32_t rows);

// Scans in a JPEG stream.
uint64_t tiff_count_scans(const uint8_t *data, uint64_t size);

#endif
