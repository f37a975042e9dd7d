// LZW as TIFF 6.0 has it (section 13): a whole strip or tile at once.

#ifndef IMGC_TIFF_LZW_H
#define IMGC_TIFF_LZW_H

#include "CImageCodecs.h"

// Bytes behind the output that may be written, with anything.
enum { TIFF_LZW_SLACK = 4 * (4096 + 16) };

typedef struct tiff_lzw tiff_lzw;

// NULL when memory is exhausted.
tiff_lzw *tiff_lzw_create(void);
void tiff_lzw_destroy(tiff_lzw *lzw);
uint64_t tiff_lzw_bytes(void);

// True when the data gave all `size` bytes, and libtiff gives the same ones without a warning.
// False for whatever is odd: old streams with the bits the other way round, data that does not
// begin with a clear code, a full table that is not cleared, codes that mean nothing, too few
// bytes. The output then holds anything.
bool tiff_lzw_decode(tiff_lzw *lzw, const uint8_t *data, size_t data_size, uint8_t *output,
                     size_t size);

#endif
