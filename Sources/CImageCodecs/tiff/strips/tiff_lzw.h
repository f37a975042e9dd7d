// LZW of TIFF 6.0 (section 13): decodes a strip or tile in one call.

#ifndef IMGC_TIFF_LZW_H
#define IMGC_TIFF_LZW_H

#include "CImageCodecs.h"

// Bytes after the output that the decoder may overwrite; the caller must allocate them.
enum { TIFF_LZW_SLACK = 4 * (4096 + 16) };

typedef struct tiff_lzw tiff_lzw;

// Creates a decoder; NULL when memory is exhausted.
tiff_lzw *tiff_lzw_create(void);
void tiff_lzw_destroy(tiff_lzw *lzw);
uint64_t tiff_lzw_bytes(void);

// Returns true when the data contains all `size` bytes, and libtiff decodes the same bytes without
// a warning. Returns false for irregular data: old streams with reversed bit order, no clear code
// at the start, a full table that is not cleared, invalid codes, too few bytes. The output is then
// unspecified.
bool tiff_lzw_decode(tiff_lzw *lzw, const uint8_t *data, size_t data_size, uint8_t *output,
                     size_t size);

#endif
