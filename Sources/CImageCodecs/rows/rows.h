// Row kernels: samples to RGBA8, in scalar C, with AVX2 and NEON variants where they are faster. n
// counts pixels unless noted otherwise; dst has n * 4 bytes unless noted otherwise, and does not
// overlap src.

#ifndef IMGC_ROWS_H
#define IMGC_ROWS_H

#include "CImageCodecs/rows.h"

// Row kernels in addition to those declared in CImageCodecs/rows.h.
void imgc_row_gray8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_row_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_row_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_row_rgbx8(uint8_t *dst, const uint8_t *src, size_t n); // alpha 255, 4th byte ignored
// CMYK, 4 bytes per pixel, converted by multiplication: imgc_row_cmyk8_inverted for JPEG, whose
// samples are inverted; imgc_row_cmyk8 for TIFF.
void imgc_row_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_row_cmyk8(uint8_t *dst, const uint8_t *src, size_t n);
// Converts n native-endian 16-bit samples to n bytes: (v * 255 + 32895) >> 16.
void imgc_row_16_to_8(uint8_t *dst, const uint16_t *src, size_t n);
// As imgc_row_16_to_8, for big-endian samples, possibly unaligned.
void imgc_row_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n);
// Unpacks n samples of 1, 2 or 4 bits, most significant first, to n bytes; no scaling.
void imgc_row_unpack(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits);
// Divides by alpha in place: min(255, (c * 255 + a / 2) / a); for alpha 0 the colour becomes 0.
void imgc_row_unpremultiply(uint8_t *pixels, size_t n);
// RGBA8 to n * 3 bytes, without alpha: R G B, or B G R.
void imgc_row_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_row_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
// RGBA8 to n bytes of luma (ITU-R BT.601): (R * 19595 + G * 38470 + B * 7471 + 32768) >> 16.
void imgc_row_to_gray8(uint8_t *dst, const uint8_t *src, size_t n);
// RGBA8 to n * 2 bytes: luma and alpha.
void imgc_row_to_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
// Composites src over dst, both with straight alpha, rounded to nearest.
void imgc_row_over(uint8_t *dst, const uint8_t *src, size_t n);

#endif
