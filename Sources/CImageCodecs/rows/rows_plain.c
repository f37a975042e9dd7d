// Scalar versions of the row kernels that have vector variants: the reference for the vector
// variants, and the only version on machines without AVX2 and NEON.

#include "core/copy.h"
#include "rows/rows_simd.h"

#include <string.h>

static void put(uint8_t *dst, uint32_t pixel) { imgc_copy(dst, &pixel, 4); }
static uint32_t get(const uint8_t *src) {
  uint32_t pixel;
  imgc_copy(&pixel, src, 4);
  return pixel;
}

void imgc_plain_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) put(dst + i * 4, src[i] * 0x010101u | IMGC_OPAQUE);
}

void imgc_plain_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++)
    put(dst + i * 4, src[i * 2] * 0x010101u | (uint32_t)src[i * 2 + 1] << 24);
}

void imgc_plain_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 3) {
    dst[0] = src[0];
    dst[1] = src[1];
    dst[2] = src[2];
    dst[3] = 255;
  }
}

void imgc_plain_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 3) {
    dst[0] = src[2];
    dst[1] = src[1];
    dst[2] = src[0];
    dst[3] = 255;
  }
}

static uint32_t swap_red_blue(uint32_t p) {
  return (p & 0xff00ff00u) | (p & 0xff) << 16 | (p >> 16 & 0xff);
}

void imgc_plain_bgrx8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) put(dst + i * 4, swap_red_blue(get(src + i * 4)) | IMGC_OPAQUE);
}

void imgc_plain_bgra8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) put(dst + i * 4, swap_red_blue(get(src + i * 4)));
}

// round(a * b / 255), exact for bytes.
static uint8_t multiply(uint32_t a, uint32_t b) {
  uint32_t t = a * b + 128;
  return (uint8_t)((t + (t >> 8)) >> 8);
}

void imgc_plain_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    dst[0] = multiply(src[0], src[3]);
    dst[1] = multiply(src[1], src[3]);
    dst[2] = multiply(src[2], src[3]);
    dst[3] = 255;
  }
}

void imgc_plain_cmyk8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    uint32_t k = 255u - src[3];
    dst[0] = multiply(255u - src[0], k);
    dst[1] = multiply(255u - src[1], k);
    dst[2] = multiply(255u - src[2], k);
    dst[3] = 255;
  }
}

void imgc_plain_16_to_8(uint8_t *dst, const uint16_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) dst[i] = (uint8_t)((src[i] * 255u + 32895u) >> 16);
}

void imgc_plain_premultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    uint8_t a = src[3];
    dst[0] = multiply(src[0], a);
    dst[1] = multiply(src[1], a);
    dst[2] = multiply(src[2], a);
    dst[3] = a;
  }
}

void imgc_plain_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, src += 2)
    dst[i] = (uint8_t)(((uint32_t)(src[0] << 8 | src[1]) * 255u + 32895u) >> 16);
}

void imgc_plain_unpremultiply(uint8_t *pixels, size_t n) {
  for (size_t i = 0; i < n; i++, pixels += 4) {
    uint32_t a = pixels[3];
    if (a == 255) continue;
    if (a == 0) {
      memset(pixels, 0, 3);
      continue;
    }
    // One division instead of three: x * ceil(2^32 / a) >> 32 equals x / a for all x below 2^16.
    uint64_t inverse = ((UINT64_C(1) << 32) + a - 1) / a;
    for (int k = 0; k < 3; k++) {
      uint64_t c = (pixels[k] * 255u + a / 2) * inverse >> 32;
      pixels[k] = (uint8_t)(c > 255 ? 255 : c);
    }
  }
}

void imgc_plain_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                             const uint32_t palette[256]) {
  unsigned mask = (1u << bits) - 1, shift = 8;
  for (size_t i = 0; i < n; i++, dst += 4) {
    shift -= bits;
    imgc_copy(dst, &palette[*src >> shift & mask], 4);
    if (shift == 0) shift = 8, src++;
  }
}

void imgc_plain_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 3, src += 4) {
    dst[0] = src[0];
    dst[1] = src[1];
    dst[2] = src[2];
  }
}

void imgc_plain_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 3, src += 4) {
    dst[0] = src[2];
    dst[1] = src[1];
    dst[2] = src[0];
  }
}

static uint8_t luma(const uint8_t *p) {
  return (uint8_t)((p[0] * 19595u + p[1] * 38470u + p[2] * 7471u + 32768u) >> 16);
}

void imgc_plain_to_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) dst[i] = luma(src + i * 4);
}

void imgc_plain_to_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) {
    dst[i * 2] = luma(src + i * 4);
    dst[i * 2 + 1] = src[i * 4 + 3];
  }
}

// ---------------------------------------------------------------- bit fields

// (v * 255 + max / 2) / max without a division per pixel. The product with `inverse` is exact while
// max has at most 16 bits; wider fields use a division.
typedef struct scaler {
  uint64_t max, half, inverse;
  unsigned shift;
  uint8_t none;
} scaler;

static void make_scalers(scaler scalers[4], const imgc_field fields[4]) {
  for (int k = 0; k < 4; k++) {
    uint64_t max = fields[k].max;
    scalers[k] = (scaler){.max = max,
                          .half = max / 2,
                          .inverse = max && max <= 0xffff ? (UINT64_C(1) << 48) / max + 1 : 0,
                          .shift = fields[k].shift & 31,
                          .none = fields[k].none};
  }
}

static inline uint8_t scale(const scaler *s, uint32_t pixel) {
  if (s->max == 0) return s->none;
  uint64_t v = (pixel >> s->shift & s->max) * 255 + s->half;
  return (uint8_t)(s->inverse ? v * s->inverse >> 48 : v / s->max);
}

void imgc_plain_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]) {
  scaler scalers[4];
  make_scalers(scalers, fields);
  for (size_t i = 0; i < n; i++, dst += 4, src += 2)
    for (int k = 0; k < 4; k++) dst[k] = scale(&scalers[k], (uint32_t)(src[0] | src[1] << 8));
}

void imgc_plain_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]) {
  scaler scalers[4];
  make_scalers(scalers, fields);
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    uint32_t pixel;
    imgc_copy(&pixel, src, 4);
    for (int k = 0; k < 4; k++) dst[k] = scale(&scalers[k], pixel);
  }
}
