// TIFF samples at 16 bits, for arithmetic that 8 bits are too coarse for.

#ifndef IMGC_TIFF_DEEP_H
#define IMGC_TIFF_DEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As tiff_reduce, to 16 bits each.
void tiff_deepen(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits, unsigned format);
// 16-bit pixels of `step` samples to RGBA8: C, M, Y, K and perhaps alpha. Not deep: the
// samples had 8 bits or fewer, and the product is rounded as for CMYK without alpha.
void tiff_deep_cmyk(uint8_t *dst, const uint16_t *src, size_t n, size_t step, bool is_deep);
// Gray or RGB with associated alpha as the last sample.
void tiff_deep_unpremultiply(uint8_t *dst, const uint16_t *src, size_t n, size_t step,
                             bool inverted);

#endif
