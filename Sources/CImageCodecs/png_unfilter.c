// Undoing PNG's row filters: the choice between plain code and AVX2.

#define TARGET
#include "png_unfilter_loops.h"

#if defined(__x86_64__)
#define FAST __builtin_cpu_supports("avx2")
#else
#define FAST 0
#define imgc_png_unfilter_avx2 unfilter
#define imgc_png_unfilter_pair_avx2 unfilter_pair
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
