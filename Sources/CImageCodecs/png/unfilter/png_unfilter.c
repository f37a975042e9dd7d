// Reconstruction of filtered PNG rows: selection between baseline and AVX2 code.

#include "png/unfilter/png_unfilter.h"
#include "core/cpu_features.h"

#define TARGET
#include "png/unfilter/png_unfilter_avx2.h"
#include "png/unfilter/png_unfilter_loops.h"
#include "png/unfilter/png_unfilter_wave.h"

_Static_assert((int)WAVE_ROWS == (int)IMGC_PNG_UNFILTER_ROWS,
               "WAVE_ROWS and IMGC_PNG_UNFILTER_ROWS must be equal");

#if defined(__x86_64__)
#define FAST IMGC_CPU_HAS_AVX2
#else
#define FAST 0
#define imgc_png_unfilter_avx2 unfilter
#define imgc_png_unfilter_pair_avx2 unfilter_pair
#define imgc_png_unfilter_rows_avx2 unfilter_wave
#endif

void imgc_png_unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n, unsigned bpp) {
  if (FAST)
    imgc_png_unfilter_avx2(filter, row, above, n, bpp);
  else
    unfilter(filter, row, above, n, bpp);
}

void imgc_png_unfilter_pair(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                            const uint8_t *above, size_t n, unsigned bpp) {
  if (FAST)
    imgc_png_unfilter_pair_avx2(first, second, row, below, above, n, bpp);
  else
    unfilter_pair(first, second, row, below, above, n, bpp);
}

bool imgc_png_unfilter_waves(const uint8_t *first, size_t stride, size_t n, unsigned bpp) {
  // A vector has one lane per row, and each row starts one pixel after the row above it. So the
  // first and the last steps use only some lanes, which is inefficient for short rows.
  if (bpp > 2 || n < 64) return false;
  const uint8_t *filter = first - 1;
  int slow = 0;
  for (size_t r = 0; r < IMGC_PNG_UNFILTER_ROWS; r++)
    slow += filter[r * stride] >= IMGC_FILTER_AVERAGE;
  return slow >= 2;
}

void imgc_png_unfilter_rows(uint8_t *first, size_t stride, const uint8_t *above, size_t n,
                            unsigned bpp) {
  if (FAST)
    imgc_png_unfilter_rows_avx2(first, stride, above, n, bpp);
  else
    unfilter_wave(first, stride, above, n, bpp);
}

uint32_t imgc_png_unfilter_next(uint8_t *raw, uint32_t rows, const uint8_t *above, size_t n,
                                unsigned bpp) {
  uint8_t *row = raw + 1, *below = raw + n + 1;
  if (rows >= IMGC_PNG_UNFILTER_ROWS && imgc_png_unfilter_waves(row, n + 1, n, bpp)) {
    imgc_png_unfilter_rows(row, n + 1, above, n, bpp);
    return IMGC_PNG_UNFILTER_ROWS;
  }
  if (rows > 1 && imgc_png_unfilter_pairs(*raw, *below)) {
    imgc_png_unfilter_pair(*raw, *below, row, below + 1, above, n, bpp);
    return 2;
  }
  imgc_png_unfilter(*raw, row, above, n, bpp);
  return 1;
}
