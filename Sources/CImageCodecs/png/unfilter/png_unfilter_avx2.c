// Reconstruction of filtered PNG rows: the loops of png_unfilter_loops.h and png_unfilter_wave.h,
// compiled for AVX2. Three-operand instructions make the short dependency chains of Average and
// Paeth a tenth to a sixth faster.

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#include "png/unfilter/png_unfilter_avx2.h"
#include "png/unfilter/png_unfilter_loops.h"
#include "png/unfilter/png_unfilter_wave.h"

TARGET void imgc_png_unfilter_avx2(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n,
                                   unsigned bpp) {
  unfilter(filter, row, above, n, bpp);
}

TARGET void imgc_png_unfilter_pair_avx2(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                                        const uint8_t *above, size_t n, unsigned bpp) {
  unfilter_pair(first, second, row, below, above, n, bpp);
}

TARGET void imgc_png_unfilter_rows_avx2(uint8_t *first, size_t stride, const uint8_t *above,
                                        size_t n, unsigned bpp) {
  unfilter_wave(first, stride, above, n, bpp);
}
#endif
