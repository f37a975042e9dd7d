// Reconstruction of filtered PNG rows, in place.

#ifndef IMGC_PNG_UNFILTER_H
#define IMGC_PNG_UNFILTER_H

#include "CImageCodecs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Readable bytes that must follow every row; the functions do not change them.
enum { IMGC_PNG_UNFILTER_SLACK = 8 };

// Reconstructs one row. `row` is the n filtered bytes after the filter byte, `above` the previous
// row, already reconstructed (zeros for the first row of a pass), bpp the bytes per pixel, at
// least 1; filter is 0...4.
void imgc_png_unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n, unsigned bpp);

// Returns true when two consecutive rows with these filters are reconstructed faster together.
static inline int imgc_png_unfilter_pairs(uint8_t first, uint8_t second) {
  return first >= IMGC_FILTER_AVERAGE && second >= IMGC_FILTER_AVERAGE;
}
// Reconstructs two rows, with the same result as two calls of imgc_png_unfilter; `below` is the row
// after `row`.
void imgc_png_unfilter_pair(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                            const uint8_t *above, size_t n, unsigned bpp);

// Number of rows that imgc_png_unfilter_rows reconstructs at once.
enum { IMGC_PNG_UNFILTER_ROWS = 8 };

// Returns true when IMGC_PNG_UNFILTER_ROWS rows of n bytes are reconstructed faster together:
// pixels of one or two bytes, rows of at least 64 bytes, and at least two rows with Average or
// Paeth. The byte before each row is its filter type.
bool imgc_png_unfilter_waves(const uint8_t *first, size_t stride, size_t n, unsigned bpp);
// Reconstructs IMGC_PNG_UNFILTER_ROWS rows that are `stride` bytes apart, with the same result as
// calls of imgc_png_unfilter; bpp is 1 or 2.
void imgc_png_unfilter_rows(uint8_t *first, size_t stride, const uint8_t *above, size_t n,
                            unsigned bpp);

// Reconstructs the row after the filter byte at `raw`, and possibly following rows, which are n + 1
// bytes apart. Returns the number of reconstructed rows. `rows` is the number of available rows, at
// least 1.
uint32_t imgc_png_unfilter_next(uint8_t *raw, uint32_t rows, const uint8_t *above, size_t n,
                                unsigned bpp);

#endif
