// The plain versions of the row kernels that have AVX2 twins: the reference for them, and
// all there is on other machines.

#include "rows_simd.h"

#include <string.h>

static void put(uint8_t *dst, uint32_t pixel) { memcpy(dst, &pixel, 4); }
static uint32_t get(const uint8_t *src) {
  uint32_t pixel;
  memcpy(&pixel, src, 4);
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
