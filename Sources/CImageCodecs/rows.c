// Row kernels: the choice between plain code and AVX2, and the kernels that need no twin.

#include "rows_simd.h"

#include <string.h>

// The answer comes from a word that the compiler's run-time library fills before main:
// reading it costs nothing beside a row, and there is no state of our own.
#ifdef IMGC_HAVE_AVX2
#define FAST(call) (__builtin_cpu_supports("avx2") ? (call) : 0)
#else
#define FAST(call) 0
#endif

void imgc_row_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_gray8(dst, src, n));
  imgc_plain_gray8(dst + done * 4, src + done, n - done);
}

void imgc_row_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_gray_alpha8(dst, src, n));
  imgc_plain_gray_alpha8(dst + done * 4, src + done * 2, n - done);
}

void imgc_row_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_rgb8(dst, src, n));
  imgc_plain_rgb8(dst + done * 4, src + done * 3, n - done);
}

void imgc_row_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_bgr8(dst, src, n));
  imgc_plain_bgr8(dst + done * 4, src + done * 3, n - done);
}

void imgc_row_bgrx8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_bgrx8(dst, src, n));
  imgc_plain_bgrx8(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_bgra8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_bgra8(dst, src, n));
  imgc_plain_bgra8(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_cmyk8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_cmyk8(dst, src, n));
  imgc_plain_cmyk8(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_cmyk8_inverted(dst, src, n));
  imgc_plain_cmyk8_inverted(dst + done * 4, src + done * 4, n - done);
}

void imgc_row_16_to_8(uint8_t *dst, const uint16_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_16_to_8(dst, src, n));
  imgc_plain_16_to_8(dst + done, src + done, n - done);
}

void imgc_row_premultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t done = FAST(imgc_avx2_premultiply(dst, src, n));
  imgc_plain_premultiply(dst + done * 4, src + done * 4, n - done);
}

// ---------------------------------------------------------------- one version only

void imgc_row_rgbx8(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t pixel;
    memcpy(&pixel, src + i * 4, 4);
    pixel |= IMGC_OPAQUE;
    memcpy(dst + i * 4, &pixel, 4);
  }
}

// Table look-ups: a gather is no faster than this on the machines measured.
void imgc_row_index8(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256]) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    uint64_t indices, pairs[4];
    memcpy(&indices, src + i, 8);
    for (int k = 0; k < 4; k++, indices >>= 16)
      pairs[k] = palette[indices & 0xff] | (uint64_t)palette[indices >> 8 & 0xff] << 32;
    memcpy(dst + i * 4, pairs, sizeof pairs);
  }
  for (; i < n; i++) memcpy(dst + i * 4, &palette[src[i]], 4);
}

void imgc_row_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                           const uint32_t palette[256]) {
  unsigned mask = (1u << bits) - 1, shift = 8;
  for (size_t i = 0; i < n; i++, dst += 4) {
    shift -= bits;
    memcpy(dst, &palette[*src >> shift & mask], 4);
    if (shift == 0) shift = 8, src++;
  }
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

void imgc_row_clear_under_alpha(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t pixel;
    memcpy(&pixel, src + i * 4, 4);
    if (pixel < 0x01000000u) pixel = 0;
    memcpy(dst + i * 4, &pixel, 4);
  }
}

void imgc_row_unpremultiply(uint8_t *pixels, size_t n) {
  for (size_t i = 0; i < n; i++, pixels += 4) {
    uint32_t a = pixels[3];
    if (a == 255) continue;
    if (a == 0) {
      memset(pixels, 0, 3);
      continue;
    }
    // One division for three: x * ceil(2^32 / a) >> 32 is x / a for all x below 2^16.
    uint64_t inverse = ((UINT64_C(1) << 32) + a - 1) / a;
    for (int k = 0; k < 3; k++) {
      uint64_t c = (pixels[k] * 255u + a / 2) * inverse >> 32;
      pixels[k] = (uint8_t)(c > 255 ? 255 : c);
    }
  }
}

// Source over destination (Porter and Duff), both straight: with whole is the resulting alpha
// times 255, the colour is (cs * as * 255 + cd * ad * (255 - as)) / whole.
void imgc_row_over(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    uint32_t as = src[3], ad = dst[3];
    if (as == 0) continue;
    if (as == 255 || ad == 0) {
      memcpy(dst, src, 4);
      continue;
    }
    uint32_t ws = as * 255, wd = ad * (255 - as), whole = ws + wd;
    if (ad == 255) { // the usual case: dividing by a constant
      for (int k = 0; k < 3; k++) {
        uint32_t t = src[k] * as + dst[k] * (255 - as) + 128;
        dst[k] = (uint8_t)((t + (t >> 8)) >> 8);
      }
      continue;
    }
    for (int k = 0; k < 3; k++) dst[k] = (uint8_t)((src[k] * ws + dst[k] * wd + whole / 2) / whole);
    dst[3] = (uint8_t)((whole + 127) / 255);
  }
}

// ---------------------------------------------------------------- bit fields

// (v * 255 + max / 2) / max without a division for every pixel. The product with `inverse`
// is exact while max has at most 16 bits; wider fields divide.
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

void imgc_row_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]) {
  scaler scalers[4];
  make_scalers(scalers, fields);
  for (size_t i = 0; i < n; i++, dst += 4, src += 2)
    for (int k = 0; k < 4; k++) dst[k] = scale(&scalers[k], (uint32_t)(src[0] | src[1] << 8));
}

void imgc_row_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]) {
  scaler scalers[4];
  make_scalers(scalers, fields);
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    uint32_t pixel;
    memcpy(&pixel, src, 4);
    for (int k = 0; k < 4; k++) dst[k] = scale(&scalers[k], pixel);
  }
}
