// AVX2 variants of the resampler's kernels, with identical results. Called only on processors with
// AVX2.

#include "core/copy.h"
#include "resample/resample_kernels.h"

#ifdef IMGC_RESAMPLE_AVX2

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 static inline __attribute__((always_inline))

INLINE __m256i load(const void *p) { return _mm256_loadu_si256(p); }
INLINE void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }

// ---------------------------------------------------------------- planes

typedef struct planes16 {
  __m256i r, g, b, a;
} planes16;

// Splits 16 pixels into 16-bit samples. `all` is ANDed with every pixel.
INLINE planes16 spread16(const uint8_t *src, __m256i *all) {
  const __m256i by_channel = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
                                              0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i low = load(src), high = load(src + 32);
  *all = _mm256_and_si256(*all, _mm256_and_si256(low, high));
  low = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(low, by_channel), in_order);
  high = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(high, by_channel), in_order);
  __m256i rb = _mm256_unpacklo_epi64(low, high), ga = _mm256_unpackhi_epi64(low, high);
  return (planes16){_mm256_cvtepu8_epi16(_mm256_castsi256_si128(rb)),
                    _mm256_cvtepu8_epi16(_mm256_castsi256_si128(ga)),
                    _mm256_cvtepu8_epi16(_mm256_extracti128_si256(rb, 1)),
                    _mm256_cvtepu8_epi16(_mm256_extracti128_si256(ga, 1))};
}

INLINE bool is_opaque(__m256i all) {
  const __m256i alpha = _mm256_set1_epi32((int32_t)0xff000000);
  return _mm256_testc_si256(all, alpha);
}

AVX2 static bool split_planes(int16_t *planes, size_t stride, const uint8_t *src, size_t n) {
  __m256i all = _mm256_set1_epi32(-1);
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    planes16 p = spread16(src + i * 4, &all);
    store(planes + i, p.r);
    store(planes + stride + i, p.g);
    store(planes + stride * 2 + i, p.b);
  }
  return imgc_split_planes_rest(planes, stride, src, i, n) && is_opaque(all);
}

INLINE __m256i times_alpha(__m256i samples, __m256i alpha) {
  __m256i product = _mm256_mullo_epi16(samples, alpha);
  __m256i more = _mm256_srli_epi16(_mm256_add_epi16(product, _mm256_set1_epi16(128)), 8);
  return _mm256_avg_epu16(product, more);
}

AVX2 static bool split_planes_alpha(int16_t *planes, size_t stride, const uint8_t *src, size_t n) {
  __m256i all = _mm256_set1_epi32(-1);
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    planes16 p = spread16(src + i * 4, &all);
    store(planes + i, times_alpha(p.r, p.a));
    store(planes + stride + i, times_alpha(p.g, p.a));
    store(planes + stride * 2 + i, times_alpha(p.b, p.a));
    store(planes + stride * 3 + i, _mm256_slli_epi16(p.a, IMGC_FINE_BITS));
  }
  return imgc_split_planes_alpha_rest(planes, stride, src, i, n) && is_opaque(all);
}

// ---------------------------------------------------------------- horizontal

INLINE __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }

// Returns a0 + a2, b0 + b2, a1 + a3, b1 + b3 for each 128-bit half.
INLINE __m256i add_pairs(__m256i a, __m256i b) {
  return add(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}

INLINE __m256i add_pairs_again(__m256i a, __m256i b) {
  return add(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

INLINE void horizontal_channels(int16_t *pairs, const int16_t *planes, size_t stride,
                                const imgc_windows *windows, const unsigned channels,
                                unsigned shift) {
  const uint32_t taps = windows->taps;
  const __m256i half = _mm256_set1_epi32(1 << (shift - 1));
  const __m128i by = _mm_cvtsi32_si128((int)shift);
  const __m128i opaque = _mm_set1_epi16(255 << IMGC_PAIR_BITS);
  const int16_t *weights = windows->weights;
  for (uint32_t i = 0; i < windows->count; i++, weights += taps, pairs += 8) {
    const int16_t *from = planes + windows->first[i];
    __m256i sums[8]; // for each channel the sums of both rows
    uint32_t t;
    if (taps % 16 == 8) {
      const __m128i w = _mm_loadu_si128((const void *)weights);
      for (unsigned c = 0; c < channels * 2; c++) {
        const int16_t *plane = from + (c / 2 + c % 2 * 4) * stride;
        sums[c] = _mm256_zextsi128_si256(_mm_madd_epi16(_mm_loadu_si128((const void *)plane), w));
      }
      t = 8;
    } else {
      const __m256i w = load(weights);
      for (unsigned c = 0; c < channels * 2; c++) {
        sums[c] = _mm256_madd_epi16(load(from + (c / 2 + c % 2 * 4) * stride), w);
      }
      t = 16;
    }
    for (; t < taps; t += 16) {
      const __m256i w = load(weights + t);
      for (unsigned c = 0; c < channels * 2; c++) {
        const int16_t *plane = from + (c / 2 + c % 2 * 4) * stride + t;
        sums[c] = add(sums[c], _mm256_madd_epi16(load(plane), w));
      }
    }
    __m256i rg = add_pairs_again(add_pairs(sums[0], sums[1]), add_pairs(sums[2], sums[3]));
    __m256i ba = add_pairs(sums[4], sums[5]);
    ba = add_pairs_again(ba, channels == 4 ? add_pairs(sums[6], sums[7]) : ba);
    __m256i all =
        add(_mm256_permute2x128_si256(rg, ba, 0x20), _mm256_permute2x128_si256(rg, ba, 0x31));
    all = _mm256_sra_epi32(add(all, half), by);
    __m128i packed = _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    if (channels == 3) packed = _mm_blend_epi16(packed, opaque, 0xc0);
    _mm_storeu_si128((void *)pairs, packed);
  }
}

AVX2 static void horizontal(int16_t *pairs, const int16_t *planes, size_t stride,
                            const imgc_windows *windows, unsigned channels, unsigned shift) {
  if (channels == 3) {
    horizontal_channels(pairs, planes, stride, windows, 3, shift);
  } else {
    horizontal_channels(pairs, planes, stride, windows, 4, shift);
  }
}

// ---------------------------------------------------------------- vertical

typedef struct sums8 {
  __m256i two[4]; // two pixels each
} sums8;

INLINE sums8 sums_at(const int16_t *const *rows, const int16_t *weights, uint32_t count, size_t at,
                     __m256i start) {
  sums8 sums = {{start, start, start, start}};
  for (uint32_t k = 0; k < count; k++) {
    int32_t both;
    imgc_copy(&both, weights + k * 2, 4);
    const __m256i w = _mm256_set1_epi32(both);
    const int16_t *row = rows[k] + at * 8;
    for (int j = 0; j < 4; j++) {
      sums.two[j] = add(sums.two[j], _mm256_madd_epi16(load(row + j * 16), w));
    }
  }
  return sums;
}

// Converts eight pixels, each of four 32-bit integers, to bytes; clamps the values to 0...255.
INLINE __m256i bytes_of(const __m256i two[4]) {
  __m256i low = _mm256_packs_epi32(two[0], two[1]), high = _mm256_packs_epi32(two[2], two[3]);
  return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high),
                                     _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

INLINE void put(uint8_t *dst, __m256i bytes, size_t pixels) {
  if (pixels >= 8) {
    store(dst, bytes);
    return;
  }
  uint8_t all[32];
  store(all, bytes);
  memcpy(dst, all, pixels * 4);
}

AVX2 static void vertical(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                          uint32_t count, size_t n) {
  const __m256i half = _mm256_set1_epi32(1 << (IMGC_SUM_BITS - 1));
  const __m256i alpha = _mm256_set1_epi32((int32_t)0xff000000);
  for (size_t i = 0; i < n; i += 8) {
    sums8 sums = sums_at(rows, weights, count, i, half);
    for (int j = 0; j < 4; j++) sums.two[j] = _mm256_srai_epi32(sums.two[j], IMGC_SUM_BITS);
    put(dst + i * 4, _mm256_or_si256(bytes_of(sums.two), alpha), n - i);
  }
}

// Divides the colours of each of two pixels by the alpha of that pixel.
INLINE __m256i without_alpha(__m256i sums) {
  const __m256i half = _mm256_set1_epi32(1 << (IMGC_SUM_BITS - 1));
  __m256i alpha = _mm256_srai_epi32(add(sums, half), IMGC_SUM_BITS);
  __m256 real = _mm256_cvtepi32_ps(sums);
  __m256 by = _mm256_div_ps(_mm256_set1_ps(255), _mm256_permute_ps(real, 0xff));
  __m256 color = _mm256_add_ps(_mm256_mul_ps(real, by), _mm256_set1_ps(0.5f));
  __m256i both = _mm256_blend_epi32(_mm256_cvttps_epi32(color), alpha, 0x88);
  // Where alpha is 0 the quotient is undefined and is cleared.
  __m256i seen = _mm256_cmpgt_epi32(_mm256_shuffle_epi32(alpha, 0xff), _mm256_setzero_si256());
  return _mm256_and_si256(both, seen);
}

AVX2 static void vertical_alpha(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                                uint32_t count, size_t n) {
  for (size_t i = 0; i < n; i += 8) {
    sums8 sums = sums_at(rows, weights, count, i, _mm256_setzero_si256());
    for (int j = 0; j < 4; j++) sums.two[j] = without_alpha(sums.two[j]);
    put(dst + i * 4, bytes_of(sums.two), n - i);
  }
}

AVX2 static void vertical_sums(int32_t *dst, const int16_t *const *rows, const int16_t *weights,
                               uint32_t count, size_t n) {
  for (size_t i = 0; i < n; i += 8) {
    sums8 sums = sums_at(rows, weights, count, i, _mm256_setzero_si256());
    for (int j = 0; j < 4; j++) store(dst + i * 4 + j * 8, sums.two[j]);
  }
}

const imgc_resample_kernels imgc_resample_avx2 = {
    .split_planes = split_planes,
    .split_planes_alpha = split_planes_alpha,
    .horizontal = horizontal,
    .vertical = vertical,
    .vertical_alpha = vertical_alpha,
    .vertical_sums = vertical_sums,
};

#endif
