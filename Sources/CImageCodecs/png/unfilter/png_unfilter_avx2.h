// Variants for processors with AVX2, selected by png_unfilter.c.

#ifndef IMGC_PNG_UNFILTER_AVX2_H
#define IMGC_PNG_UNFILTER_AVX2_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
void imgc_png_unfilter_avx2(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n,
                            unsigned bpp);
void imgc_png_unfilter_pair_avx2(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                                 const uint8_t *above, size_t n, unsigned bpp);
void imgc_png_unfilter_rows_avx2(uint8_t *first, size_t stride, const uint8_t *above, size_t n,
                                 unsigned bpp);
#endif

#endif
