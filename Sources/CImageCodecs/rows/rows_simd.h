// Internal to the row kernels: the scalar versions, and the AVX2 and NEON variants of frequently
// used kernels. A vector variant processes the first part of the row and returns the number of
// pixels (or samples); the scalar version processes the rest. Tests/CImageCodecsTests compares both
// versions.

#ifndef IMGC_ROWS_SIMD_H
#define IMGC_ROWS_SIMD_H

#include "CImageCodecs/rows.h"

// A pixel in one 32-bit word, red in the lowest byte.
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the row kernels require a little-endian processor"
#endif
#define IMGC_OPAQUE 0xff000000u

void imgc_plain_gray8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_bgrx8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_bgra8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_cmyk8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_16_to_8(uint8_t *dst, const uint16_t *src, size_t n);
void imgc_plain_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_premultiply(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_unpremultiply(uint8_t *pixels, size_t n);
void imgc_plain_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                             const uint32_t palette[256]);
void imgc_plain_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_to_gray8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_to_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
void imgc_plain_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
void imgc_plain_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);

void imgc_plain_over(uint8_t *dst, const uint8_t *src, size_t n);

#if defined(__x86_64__) || defined(__i386__)
#define IMGC_HAVE_AVX2 1
size_t imgc_avx2_gray8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_bgrx8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_bgra8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_cmyk8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_16_to_8(uint8_t *dst, const uint16_t *src, size_t n);
size_t imgc_avx2_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_premultiply(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_unpremultiply(uint8_t *pixels, size_t n);
size_t imgc_avx2_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_to_gray8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_to_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_avx2_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
size_t imgc_avx2_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
size_t imgc_avx2_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                              const uint32_t palette[256]);
#elif defined(__aarch64__)
#define IMGC_HAVE_NEON 1
size_t imgc_neon_gray8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_bgrx8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_bgra8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_cmyk8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_16_to_8(uint8_t *dst, const uint16_t *src, size_t n);
size_t imgc_neon_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_premultiply(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_unpremultiply(uint8_t *pixels, size_t n);
size_t imgc_neon_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_to_gray8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_to_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n);
size_t imgc_neon_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
size_t imgc_neon_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
#endif

#endif
