// Row kernels in 32-bit lanes, eight pixels at a time, compiled once for AVX2 and once for NEON:
// the including file defines TARGET and NAMED(kernel).
//
// Quotients equal those of rows_plain.c. Single precision is exact while the dividend is below 2^18
// and the quotient below 256: the product with the inverse then has an error below 2^-14, and the
// distance of (x + 1/2) / y to an integer is at least 1 / 2y.

#include "core/copy.h"
#include "rows/rows_simd.h"

#include <stdbool.h>

#define INLINE TARGET static inline __attribute__((always_inline))

typedef uint32_t lanes __attribute__((vector_size(32)));
typedef int32_t signed_lanes __attribute__((vector_size(32)));
typedef float float_lanes __attribute__((vector_size(32)));
typedef uint16_t half_lanes __attribute__((vector_size(16)));
typedef uint8_t byte_lanes __attribute__((vector_size(8)));

INLINE lanes lanes_load(const uint8_t *p) {
  lanes v;
  imgc_copy(&v, p, sizeof v);
  return v;
}

INLINE float_lanes lanes_to_float(lanes v) {
  return __builtin_convertvector((signed_lanes)v, float_lanes);
}

INLINE lanes lanes_from_float(float_lanes v) {
  return (lanes) __builtin_convertvector(v, signed_lanes);
}

// ---------------------------------------------------------------- alpha

TARGET size_t NAMED(unpremultiply)(uint8_t *pixels, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    lanes v = lanes_load(pixels + i * 4), alpha = v >> 24, result = v & IMGC_OPAQUE;
    lanes is_clear = (lanes)(alpha == 0);
    // Where alpha is 0 the divisor is 1, and the colour is set to 0 after the division.
    float_lanes inverse = 1.0f / lanes_to_float(alpha | (is_clear & 1));
    for (int shift = 0; shift < 24; shift += 8) {
      lanes product = (v >> shift & 255) * 255 + (alpha >> 1);
      lanes c = lanes_from_float((lanes_to_float(product) + 0.5f) * inverse);
      lanes most = (lanes)(c > 255);
      result |= ((most & 255) | (~most & c)) << shift & ~is_clear;
    }
    imgc_copy(pixels + i * 4, &result, sizeof result);
  }
  return i;
}

// ---------------------------------------------------------------- bit fields

typedef struct field_lanes {
  lanes shift, max, half, none;
  float_lanes inverse; // 0: the field does not exist
} field_lanes;

// Returns false when a field is too wide for exact quotients.
INLINE bool lanes_make_fields(field_lanes scales[4], const imgc_field fields[4]) {
  for (int k = 0; k < 4; k++) {
    uint32_t max = fields[k].max;
    if (max > 1023) return false;
    scales[k].shift = (lanes){0} + (fields[k].shift & 31u);
    scales[k].max = (lanes){0} + max;
    scales[k].half = (lanes){0} + max / 2;
    scales[k].none = (lanes){0} + (max ? 0u : fields[k].none);
    scales[k].inverse = (float_lanes){0} + (max ? 1.0f / (float)max : 0.0f);
  }
  return true;
}

INLINE lanes lanes_scale(const field_lanes fields[4], lanes pixels) {
  lanes result = {0};
  for (int k = 0; k < 4; k++) {
    const field_lanes *f = &fields[k];
    lanes product = (pixels >> f->shift & f->max) * 255 + f->half;
    lanes c = lanes_from_float((lanes_to_float(product) + 0.5f) * f->inverse);
    result |= (c | f->none) << (8 * k);
  }
  return result;
}

TARGET size_t NAMED(fields16)(uint8_t *dst, const uint8_t *src, size_t n,
                              const imgc_field fields[4]) {
  field_lanes scales[4];
  size_t i = 0;
  if (n < 8 || !lanes_make_fields(scales, fields)) return 0;
  for (; n - i >= 8; i += 8) {
    half_lanes v;
    imgc_copy(&v, src + i * 2, sizeof v);
    lanes pixels = lanes_scale(scales, __builtin_convertvector(v, lanes));
    imgc_copy(dst + i * 4, &pixels, sizeof pixels);
  }
  return i;
}

TARGET size_t NAMED(fields32)(uint8_t *dst, const uint8_t *src, size_t n,
                              const imgc_field fields[4]) {
  field_lanes scales[4];
  size_t i = 0;
  if (n < 8 || !lanes_make_fields(scales, fields)) return 0;
  for (; n - i >= 8; i += 8) {
    lanes pixels = lanes_scale(scales, lanes_load(src + i * 4));
    imgc_copy(dst + i * 4, &pixels, sizeof pixels);
  }
  return i;
}

// ---------------------------------------------------------------- luma

// The sums are below 2^24.
INLINE lanes lanes_luma(lanes v) {
  return ((v & 255) * 19595 + (v >> 8 & 255) * 38470 + (v >> 16 & 255) * 7471 + 32768) >> 16;
}

TARGET size_t NAMED(to_gray8)(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    byte_lanes luma = __builtin_convertvector(lanes_luma(lanes_load(src + i * 4)), byte_lanes);
    imgc_copy(dst + i, &luma, sizeof luma);
  }
  return i;
}

TARGET size_t NAMED(to_gray_alpha8)(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    lanes v = lanes_load(src + i * 4);
    half_lanes pair = __builtin_convertvector(lanes_luma(v) | v >> 24 << 8, half_lanes);
    imgc_copy(dst + i * 2, &pair, sizeof pair);
  }
  return i;
}
