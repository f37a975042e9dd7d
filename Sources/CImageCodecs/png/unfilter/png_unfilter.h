// Reconstruction of filtered PNG rows, in place.

#ifndef IMGC_PNG_UNFILTER_H
#define IMGC_PNG_UNFILTER_H

#include "CImageCodecs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes after every row that may be read, but are never changed.
enum { IMGC_PNG_UNFILTER_SLACK = 8 };

// Reconstructs one row. `row` is the n filtered bytes after the filter byte, `above` the previous
// unfiltered row (zeros for the first row of a pass), bpp the bytes per pixel, at least 1; filter
// is 0...4.
void imgc_png_unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n, unsigned bpp);

// Returns true when two consecutive rows with these filters are reconstructed faster together.
static inline int imgc_png_unfilter_pairs(uint8_t first, uint8_t second) {
  return first >= IMGC_FILTER_AVERAGE && second >= IMGC_FILTER_AVERAGE;
}
// Equals two consecutive calls of imgc_png_unfilter; `below` is the row after `row`.
void imgc_png_unfilter_pair(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                            const uint8_t *above, size_t n, unsigned bpp);

// Number of rows that imgc_png_unfilter_rows reconstructs at once.
enum { IMGC_PNG_UNFILTER_ROWS = 8 };

// Returns true when IMGC_PNG_UNFILTER_ROWS rows of n bytes, whose filter is the byte before each,
// are faster together: pixels of one or two bytes, and at least two rows with Average or Paeth.
bool imgc_png_unfilter_waves(const uint8_t *first, size_t stride, size_t n, unsigned bpp);
// Equals IMGC_PNG_UNFILTER_ROWS consecutive calls of imgc_png_unfilter, for rows that are `stride`
// bytes apart; bpp is 1 or 2.
void imgc_png_unfilter_rows(uint8_t *first, size_t stride, const uint8_t *above, size_t n,
                            unsigned bpp);

// Reconstructs the row after the filter byte at `raw`, and possibly following rows, which are n + 1
// bytes apart. Returns the number of reconstructed rows. `rows` is the number of available rows, at
// least 1.
uint32_t imgc_png_unfilter_next(uint8_t *raw, uint32_t rows, const uint8_t *above, size_t n,
                                unsigned bpp);

#endif
