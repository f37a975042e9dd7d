// Row kernels: selection between scalar and vector variants, and the kernels with a scalar variant
// only.

#include "rows/rows.h"
#include "core/copy.h"
#include "core/cpu_features.h"
#include "rows/rows_simd.h"

// FAST calls the vector variant of a kernel. Its result is the number of pixels or samples that the
// vector variant has processed, 0 without a vector variant.
#if defined(IMGC_HAVE_AVX2)
#define FAST(kernel, ...) (IMGC_CPU_HAS_AVX2 ? imgc_avx2_##kernel(__VA_ARGS__) : 0)
#elif defined(IMGC_HAVE_NEON)
#define FAST(kernel, ...) imgc_neon_##kernel(__VA_ARGS__)
#else
#define FAST(kernel, ...) 0
#endif

void imgc_row_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(gray8, dst, src, n);
  imgc_plain_gray8(dst + done * 4, src + done, n - done);
}

void imgc_row_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(gray_alpha8, dst, src, n);
  imgc_plain_gray_alpha8(dst + done * 4, src + done * 2, n - done);
}

void imgc_row_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(rgb8, dst, src, n);
  imgc_plain_rgb8(dst + done * 4, src + done * 3, n - done);
}

void imgc_row_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(bgr8, dst, src, n);
  imgc_plain_bgr8(dst + done * 4, src + done * 3, n - done);
}

void imgc_row_bgrx8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(bgrx8, dst, src, n);
  imgc_plain_bgrx8(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_bgra8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(bgra8, dst, src, n);
  imgc_plain_bgra8(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_cmyk8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(cmyk8, dst, src, n);
  imgc_plain_cmyk8(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(cmyk8_inverted, dst, src, n);
  imgc_plain_cmyk8_inverted(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_16_to_8(uint8_t *dst, const uint16_t *src, size_t n) {
  size_t done = FAST(16_to_8, dst, src, n);
  imgc_plain_16_to_8(dst + done, src + done, n - done);
}

void imgc_row_premultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(premultiply, dst, src, n);
  imgc_plain_premultiply(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(be16_to_8, dst, src, n);
  imgc_plain_be16_to_8(dst + done, src + done * 2, n - done);
}

void imgc_row_unpremultiply(uint8_t *pixels, size_t n) {
  size_t done = FAST(unpremultiply, pixels, n);
  imgc_plain_unpremultiply(pixels + done * 4, n - done);
}

void imgc_row_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(to_rgb8, dst, src, n);
  imgc_plain_to_rgb8(dst + done * 3, src + done * 4, n - done);
}

void imgc_row_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(to_bgr8, dst, src, n);
  imgc_plain_to_bgr8(dst + done * 3, src + done * 4, n - done);
}

void imgc_row_to_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(to_gray8, dst, src, n);
  imgc_plain_to_gray8(dst + done, src + done * 4, n - done);
}

void imgc_row_to_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(to_gray_alpha8, dst, src, n);
  imgc_plain_to_gray_alpha8(dst + done * 2, src + done * 4, n - done);
}

void imgc_row_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]) {
  size_t done = FAST(fields16, dst, src, n, fields);
  if (done < n) imgc_plain_fields16(dst + done * 4, src + done * 2, n - done, fields);
}

void imgc_row_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]) {
  size_t done = FAST(fields32, dst, src, n, fields);
  if (done < n) imgc_plain_fields32(dst + done * 4, src + done * 4, n - done, fields);
}

void imgc_row_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                           const uint32_t palette[256]) {
  size_t done = 0; // a multiple of 8, so that the remaining pixels start at a byte
#ifdef IMGC_HAVE_AVX2
  done = FAST(index_packed, dst, src, n, bits, palette);
#endif
  imgc_plain_index_packed(dst + done * 4, src + done * bits / 8, n - done, bits, palette);
}

// ---------------------------------------------------------------- scalar only

void imgc_row_rgbx8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t pixel;
    imgc_copy(&pixel, src + i * 4, 4);
    pixel |= IMGC_OPAQUE;
    imgc_copy(dst + i * 4, &pixel, 4);
  }
}

// Table look-ups: a vector gather was not faster on the measured machines.
void imgc_row_index8(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256]) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    uint64_t indices, pairs[4];
    imgc_copy(&indices, src + i, 8);
    for (int k = 0; k < 4; k++, indices >>= 16)
      pairs[k] = palette[indices & 0xff] | (uint64_t)palette[indices >> 8 & 0xff] << 32;
    imgc_copy(dst + i * 4, pairs, sizeof pairs);
  }
  for (; i < n; i++) imgc_copy(dst + i * 4, &palette[src[i]], 4);
}

void imgc_row_unpack(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits) {
  uint8_t mask = (uint8_t)((1u << bits) - 1);
  unsigned shift = 8;
  for (size_t i = 0; i < n; i++) {
    shift -= bits;
    dst[i] = *src >> shift & mask;
    if (shift == 0) shift = 8, src++;
  }
}

void imgc_row_clear_transparent(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t pixel;
    imgc_copy(&pixel, src + i * 4, 4);
    if (pixel < 0x01000000u) pixel = 0;
    imgc_copy(dst + i * 4, &pixel, 4);
  }
}
