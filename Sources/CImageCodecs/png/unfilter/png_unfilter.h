// Undoing PNG's row filters, in place.

#ifndef IMGC_PNG_UNFILTER_H
#define IMGC_PNG_UNFILTER_H

#include "CImageCodecs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes behind every row that may be read, though never changed.
enum { IMGC_PNG_UNFILTER_SLACK = 8 };

// `row` is the n filtered bytes behind the filter byte, `above` the unfiltered row before it
// (zeros for the first row of a pass), bpp the bytes of a whole pixel, at least 1; filter 0...4.
void imgc_png_unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n, unsigned bpp);

// True when two rows in turn with these filters go faster together.
static inline int imgc_png_unfilter_pairs(uint8_t first, uint8_t second) {
  return first >= IMGC_FILTER_AVERAGE && second >= IMGC_FILTER_AVERAGE;
}
// As two calls in turn; `below` is the row after `row`.
void imgc_png_unfilter_pair(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                            const uint8_t *above, size_t n, unsigned bpp);

// Rows that imgc_png_unfilter_rows takes at once.
enum { IMGC_PNG_UNFILTER_ROWS = 8 };

// True when so many rows in turn, of n bytes and with their filters one byte before each, go faster
// together: pixels of one or two bytes, and enough of the two filters that are slow.
bool imgc_png_unfilter_waves(const uint8_t *first, size_t stride, size_t n, unsigned bpp);
// As IMGC_PNG_UNFILTER_ROWS calls in turn, for rows `stride` bytes from one to the next; bpp is 1
// or 2.
void imgc_png_unfilter_rows(uint8_t *first, size_t stride, const uint8_t *above, size_t n,
                            unsigned bpp);

// Undoes the filter of the row behind the filter byte at `raw`, and of some of the rows after it,
// n + 1 bytes from one to the next; returns of how many. `rows` of them are there, at least 1.
uint32_t imgc_png_unfilter_some(uint8_t *raw, uint32_t rows, const uint8_t *above, size_t n,
                                unsigned bpp);

#endif
