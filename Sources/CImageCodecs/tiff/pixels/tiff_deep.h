// TIFF samples at 16 bits, for arithmetic that needs more than 8 bits.

#ifndef IMGC_TIFF_DEEP_H
#define IMGC_TIFF_DEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Converts samples as tiff_reduce does, but to 16 bits each.
void tiff_widen_to_16(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits,
                      unsigned format);
// Converts 16-bit pixels of `step` samples (C, M, Y, K and optionally alpha) to RGBA8. Without
// `is_deep` the samples had at most 8 bits in the file, and the product is rounded as in
// imgc_row_cmyk8.
void tiff_deep_cmyk(uint8_t *dst, const uint16_t *src, size_t n, size_t step, bool is_deep);
// Converts 16-bit gray or RGB pixels with associated alpha, the last of `step` samples, to RGBA8;
// divides the colours by alpha.
void tiff_deep_unpremultiply(uint8_t *dst, const uint16_t *src, size_t n, size_t step,
                             bool inverted);

#endif
