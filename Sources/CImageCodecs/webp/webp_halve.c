// The colour conversion is libwebp's: BT.601 with a limited range, in 16-bit fixed point. It is
// written with the vector types of GCC and Clang, which need no variant for each processor.

#ifdef IMGC_WEBP

#include "webp/webp_halve.h"
#include "core/copy.h"

#include <string.h>

enum { LANES = 8 }; // pixels of the result that are converted together

typedef uint8_t byte_lanes __attribute__((vector_size(LANES)));
typedef uint16_t lanes __attribute__((vector_size(LANES * 2)));
typedef int16_t signed_lanes __attribute__((vector_size(LANES * 2)));
typedef uint32_t wide_lanes __attribute__((vector_size(LANES * 4)));

#define INLINE static inline __attribute__((always_inline))

// Returns the sums of adjacent samples. The order of the two bytes of a lane does not matter.
INLINE lanes pair_sums(const uint8_t *luma) {
  lanes pairs;
  imgc_copy(&pairs, luma, sizeof pairs);
  return (pairs & 255) + (pairs >> 8);
}

// Returns the samples times 256.
INLINE lanes scaled_samples(const uint8_t *chroma) {
  byte_lanes samples;
  imgc_copy(&samples, chroma, sizeof samples);
  return __builtin_convertvector(samples, lanes) << 8;
}

// Returns the upper 16 bits of the products.
INLINE lanes times(lanes samples, uint16_t factor) {
  wide_lanes product = __builtin_convertvector(samples, wide_lanes) * factor;
  return __builtin_convertvector(product >> 16, lanes);
}

// Returns the values above `zero`, without their 6 fraction bits, as bytes.
INLINE lanes bytes_above(lanes values, uint16_t zero) {
  lanes is_above = (lanes)(values > zero);
  lanes bytes = ((values - zero) & is_above) >> 6, is_valid = (lanes)(bytes < 256);
  return (bytes & is_valid) | (255 & ~is_valid);
}

// Converts LANES pixels.
INLINE void convert(uint8_t *dst, const uint8_t *upper, const uint8_t *lower, const uint8_t *u,
                    const uint8_t *v) {
  lanes luma = times((pair_sums(upper) + pair_sums(lower)) << 6, 19077);
  lanes blue_chroma = scaled_samples(u), red_chroma = scaled_samples(v);
  // 32,768 is added to green, so that no difference is negative.
  lanes red = bytes_above(luma + times(red_chroma, 26149), 14234);
  lanes green = luma + 32768 - times(blue_chroma, 6419) - times(red_chroma, 13320);
  green = bytes_above(green, 32768 - 8708);
  lanes blue = bytes_above(luma + times(blue_chroma, 33050), 17685);
  wide_lanes pixels = __builtin_convertvector(red | green << 8, wide_lanes) |
                      __builtin_convertvector(blue | 0xff00, wide_lanes) << 16;
  imgc_copy(dst, &pixels, sizeof pixels);
}

void imgc_webp_halve(uint8_t *dst, const imgc_webp_row_pair *rows, size_t width) {
  const uint8_t *upper = rows->luma[0], *lower = rows->luma[1];
  size_t count = (width + 1) / 2, i = 0;
  for (; width / 2 - i >= LANES; i += LANES)
    convert(dst + i * 4, upper + i * 2, lower + i * 2, rows->u + i, rows->v + i);
  if (i == count) return;
  // The other pixels, in copies of their samples. An odd width repeats the last sample.
  uint8_t luma[2][LANES * 2] = {0}, chroma[2][LANES] = {0}, pixels[LANES * 4];
  size_t samples = width - i * 2, rest = count - i;
  for (int k = 0; k < 2; k++) {
    memcpy(luma[k], rows->luma[k] + i * 2, samples);
    if (width % 2) luma[k][samples] = luma[k][samples - 1];
  }
  memcpy(chroma[0], rows->u + i, rest);
  memcpy(chroma[1], rows->v + i, rest);
  convert(pixels, luma[0], luma[1], chroma[0], chroma[1]);
  memcpy(dst + i * 4, pixels, rest * 4);
}

#endif
