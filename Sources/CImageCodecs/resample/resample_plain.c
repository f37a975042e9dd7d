// Scalar C versions of the resampler's row kernels; compilers vectorize their inner loops.

#include "resample/resample_kernels.h"

static inline int16_t clamp16(int32_t v) {
  return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

static inline uint8_t clamp8(int32_t v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

bool imgc_split_planes_rest(int16_t *planes, size_t stride, const uint8_t *src, size_t from,
                            size_t n) {
  uint8_t all = 255;
  for (size_t i = from; i < n; i++) {
    for (size_t c = 0; c < 3; c++) planes[c * stride + i] = src[i * 4 + c];
    all &= src[i * 4 + 3];
  }
  return all == 255;
}

bool imgc_split_planes_alpha_rest(int16_t *planes, size_t stride, const uint8_t *src, size_t from,
                                  size_t n) {
  uint8_t all = 255;
  for (size_t i = from; i < n; i++) {
    uint32_t alpha = src[i * 4 + 3];
    for (size_t c = 0; c < 3; c++) {
      // The colour times alpha times 128 / 255, rounded; exact for alpha 255.
      uint32_t product = src[i * 4 + c] * alpha;
      planes[c * stride + i] = (int16_t)((product + ((product + 128) >> 8) + 1) >> 1);
    }
    planes[3 * stride + i] = (int16_t)(alpha << IMGC_FINE_BITS);
    all &= (uint8_t)alpha;
  }
  return all == 255;
}

static bool split_planes(int16_t *planes, size_t stride, const uint8_t *src, size_t n) {
  return imgc_split_planes_rest(planes, stride, src, 0, n);
}

static bool split_planes_alpha(int16_t *planes, size_t stride, const uint8_t *src, size_t n) {
  return imgc_split_planes_alpha_rest(planes, stride, src, 0, n);
}

static inline int32_t product(const int16_t *samples, const int16_t *weights, uint32_t taps) {
  int32_t sum = 0;
  for (uint32_t t = 0; t < taps; t++) sum += samples[t] * weights[t];
  return sum;
}

static void horizontal(int16_t *pairs, const int16_t *planes, size_t stride,
                       const imgc_windows *windows, unsigned channels, unsigned shift) {
  const uint32_t taps = windows->taps;
  for (uint32_t i = 0; i < windows->count; i++, pairs += 8) {
    const int16_t *from = planes + windows->first[i];
    const int16_t *weights = windows->weights + (size_t)i * taps;
    for (unsigned c = 0; c < channels; c++) {
      for (unsigned row = 0; row < 2; row++) {
        int32_t sum = product(from + (row * 4 + c) * stride, weights, taps);
        pairs[c * 2 + row] = clamp16((sum + (1 << (shift - 1))) >> shift);
      }
    }
    if (channels == 3) pairs[6] = pairs[7] = 255 << IMGC_PAIR_BITS;
  }
}

enum { HALF = 1 << (IMGC_SUM_BITS - 1) };

static void gather(uint8_t *dst, const int32_t *sums, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, sums += 4) {
    for (size_t c = 0; c < 3; c++) dst[c] = clamp8((sums[c] + HALF) >> IMGC_SUM_BITS);
    dst[3] = 255;
  }
}

// Product and sum are separate statements, so that no compiler contracts them to a fused
// multiply-add.
static void gather_alpha(uint8_t *dst, const int32_t *sums, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, sums += 4) {
    dst[0] = dst[1] = dst[2] = 0;
    dst[3] = clamp8((sums[3] + HALF) >> IMGC_SUM_BITS);
    if (dst[3] == 0) continue;
    float by = 255.0f / (float)sums[3];
    for (size_t c = 0; c < 3; c++) {
      float value = (float)sums[c] * by;
      dst[c] = clamp8((int32_t)(value + 0.5f));
    }
  }
}

static void accumulate(int32_t *dst, const int16_t *const *rows, const int16_t *weights,
                       uint32_t count, size_t at, size_t n) {
  for (size_t i = 0; i < n * 4; i++) dst[i] = 0;
  for (uint32_t k = 0; k < count; k++) {
    const int16_t *row = rows[k] + at * 8;
    const int32_t upper = weights[k * 2], lower = weights[k * 2 + 1];
    for (size_t i = 0; i < n * 4; i++) dst[i] += row[i * 2] * upper + row[i * 2 + 1] * lower;
  }
}

typedef void (*store_row)(uint8_t *dst, const int32_t *sums, size_t n);

static void vertical_part(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                          uint32_t count, size_t n, store_row gather) {
  enum { CHUNK = 32 };
  int32_t sums[CHUNK * 4];
  for (size_t at = 0; at < n; at += CHUNK) {
    size_t chunk = n - at < CHUNK ? n - at : CHUNK;
    accumulate(sums, rows, weights, count, at, chunk);
    gather(dst + at * 4, sums, chunk);
  }
}

static void vertical(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                     uint32_t count, size_t n) {
  vertical_part(dst, rows, weights, count, n, gather);
}

static void vertical_alpha(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                           uint32_t count, size_t n) {
  vertical_part(dst, rows, weights, count, n, gather_alpha);
}

static void vertical_sums(int32_t *dst, const int16_t *const *rows, const int16_t *weights,
                          uint32_t count, size_t n) {
  accumulate(dst, rows, weights, count, 0, n);
}

const imgc_resample_kernels imgc_resample_plain = {
    .split_planes = split_planes,
    .split_planes_alpha = split_planes_alpha,
    .horizontal = horizontal,
    .vertical = vertical,
    .vertical_alpha = vertical_alpha,
    .vertical_sums = vertical_sums,
};
