// Samples of a reduced image: an inverse DCT of fewer points, which omits high frequencies. The
// method is that of jidctred.c in libjpeg. It is separable and uses fixed-point numbers with 13
// fraction bits, 2 of which remain between the passes.

#include "jpeg/baseline/jpeg_reduced.h"
#include "core/copy.h"
#include "core/cpu_features.h"

#include <stdbool.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
  // Constants times 2^13, for 2 points.
  F0_720 = 5906,
  F0_850 = 6967,
  F1_273 = 10426,
  F3_625 = 29692,
  // Constants times 2^13, for 4 points.
  F0_211 = 1730,
  F0_510 = 4176,
  F0_601 = 4926,
  F0_765 = 6270,
  F0_900 = 7373,
  F1_062 = 8697,
  F1_452 = 11893,
  F1_848 = 15137,
  F2_173 = 17799,
  F2_563 = 20995,
};

static uint8_t byte_of(int32_t value) {
  value += 128;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void imgc_jpeg_reduce_flat(uint8_t *dst, size_t stride, int16_t dc, unsigned size) {
  const uint8_t byte = byte_of((dc + 4) >> 3);
  for (unsigned y = 0; y < size; y++) memset(dst + y * stride, byte, size);
}

#ifdef __SSE2__

static inline __m128i load(const int16_t *p) { return _mm_loadu_si128((const void *)p); }

static inline __m128i two(int16_t a, int16_t b) { return _mm_set_epi16(b, a, b, a, b, a, b, a); }

// Returns a * x + b * y for each pair (x, y) of samples, 32 bits each.
static inline __m128i times(__m128i pairs, int16_t a, int16_t b) {
  return _mm_madd_epi16(pairs, two(a, b));
}

// The lower four of eight samples, as 32 bits with `bits` fraction bits.
static inline __m128i shifted(__m128i samples, int bits) {
  return _mm_srai_epi32(_mm_unpacklo_epi16(_mm_setzero_si128(), samples), 16 - bits);
}

static inline __m128i shifted_upper(__m128i samples, int bits) {
  return _mm_srai_epi32(_mm_unpackhi_epi16(_mm_setzero_si128(), samples), 16 - bits);
}

static inline __m128i rounded(__m128i sums, int bits) {
  return _mm_srai_epi32(_mm_add_epi32(sums, _mm_set1_epi32(1 << (bits - 1))), bits);
}

static void reduce_2(uint8_t *dst, size_t stride, const int16_t block[64]) {
  const __m128i dc = load(block), r1 = load(block + 8), r3 = load(block + 24);
  const __m128i r5 = load(block + 40), r7 = load(block + 56);
  // Vertical pass over eight columns. Columns 2, 4 and 6 have weight 0 in the horizontal pass.
  const __m128i odd_low = _mm_add_epi32(times(_mm_unpacklo_epi16(r1, r3), F3_625, -F1_273),
                                        times(_mm_unpacklo_epi16(r5, r7), F0_850, -F0_720));
  const __m128i odd_high = _mm_add_epi32(times(_mm_unpackhi_epi16(r1, r3), F3_625, -F1_273),
                                         times(_mm_unpackhi_epi16(r5, r7), F0_850, -F0_720));
  const __m128i even_low = shifted(dc, 15), even_high = shifted_upper(dc, 15);
  const __m128i upper = _mm_packs_epi32(rounded(_mm_add_epi32(even_low, odd_low), 13),
                                        rounded(_mm_add_epi32(even_high, odd_high), 13));
  const __m128i lower = _mm_packs_epi32(rounded(_mm_sub_epi32(even_low, odd_low), 13),
                                        rounded(_mm_sub_epi32(even_high, odd_high), 13));
  // Horizontal pass over both rows.
  const __m128i weights = _mm_set_epi16(-F0_720, 0, F0_850, 0, -F1_273, 0, F3_625, 0);
  const __m128i a = _mm_madd_epi16(upper, weights), c = _mm_madd_epi16(lower, weights);
  __m128i odd = _mm_add_epi32(_mm_unpacklo_epi32(a, c), _mm_unpackhi_epi32(a, c));
  odd = _mm_add_epi32(odd, _mm_shuffle_epi32(odd, 0x4E));
  const __m128i even = shifted(_mm_unpacklo_epi16(upper, lower), 15); // upper lower ...
  const __m128i left = rounded(_mm_add_epi32(even, odd), 20);
  const __m128i right = rounded(_mm_sub_epi32(even, odd), 20);
  __m128i all = _mm_packs_epi32(_mm_unpacklo_epi32(left, right), _mm_setzero_si128());
  all = _mm_xor_si128(_mm_packs_epi16(all, all), _mm_set1_epi8(-128));
  const uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(all);
  imgc_copy(dst, &bytes, 2);
  imgc_copy(dst + stride, (const uint8_t *)&bytes + 2, 2);
}

// Computes four results per column for four columns; the pairs are rows 1 and 3, 5 and 7, 2 and 6.
static inline void four_points(__m128i out[4], __m128i dc, __m128i p13, __m128i p57, __m128i p26,
                               int bits) {
  const __m128i even = times(p26, F1_848, -F0_765);
  const __m128i inner = _mm_add_epi32(times(p13, F1_062, -F2_173), times(p57, F1_452, -F0_211));
  const __m128i outer = _mm_add_epi32(times(p13, F2_563, F0_900), times(p57, -F0_601, -F0_510));
  const __m128i sum = _mm_add_epi32(dc, even), difference = _mm_sub_epi32(dc, even);
  out[0] = rounded(_mm_add_epi32(sum, outer), bits);
  out[1] = rounded(_mm_add_epi32(difference, inner), bits);
  out[2] = rounded(_mm_sub_epi32(difference, inner), bits);
  out[3] = rounded(_mm_sub_epi32(sum, outer), bits);
}

static void reduce_4(uint8_t *dst, size_t stride, const int16_t block[64]) {
  const __m128i dc = load(block), r1 = load(block + 8), r2 = load(block + 16);
  const __m128i r3 = load(block + 24), r5 = load(block + 40), r6 = load(block + 48);
  const __m128i r7 = load(block + 56);
  __m128i low[4], high[4], rows[4];
  four_points(low, shifted(dc, 14), _mm_unpacklo_epi16(r1, r3), _mm_unpacklo_epi16(r5, r7),
              _mm_unpacklo_epi16(r2, r6), 12);
  four_points(high, shifted_upper(dc, 14), _mm_unpackhi_epi16(r1, r3), _mm_unpackhi_epi16(r5, r7),
              _mm_unpackhi_epi16(r2, r6), 12);
  for (int i = 0; i < 4; i++) rows[i] = _mm_packs_epi32(low[i], high[i]);
  // Transposes the rows: each of c01 to c67 contains two columns of four samples.
  const __m128i a = _mm_unpacklo_epi16(rows[0], rows[1]), b = _mm_unpacklo_epi16(rows[2], rows[3]);
  const __m128i c = _mm_unpackhi_epi16(rows[0], rows[1]), d = _mm_unpackhi_epi16(rows[2], rows[3]);
  const __m128i c01 = _mm_unpacklo_epi32(a, b), c23 = _mm_unpackhi_epi32(a, b);
  const __m128i c45 = _mm_unpacklo_epi32(c, d), c67 = _mm_unpackhi_epi32(c, d);
  __m128i columns[4];
  four_points(columns, shifted(c01, 14), _mm_unpackhi_epi16(c01, c23), _mm_unpackhi_epi16(c45, c67),
              _mm_unpacklo_epi16(c23, c67), 19);
  __m128i all = _mm_packs_epi16(_mm_packs_epi32(columns[0], columns[1]),
                                _mm_packs_epi32(columns[2], columns[3]));
  all = _mm_xor_si128(all, _mm_set1_epi8(-128));
  all = _mm_unpacklo_epi8(all, _mm_srli_si128(all, 8));
  all = _mm_unpacklo_epi8(all, _mm_srli_si128(all, 8));
  uint32_t bytes[4];
  imgc_copy(bytes, &all, 16);
  for (int y = 0; y < 4; y++) imgc_copy(dst + (size_t)y * stride, &bytes[y], 4);
}

#else

// DESCALE of libjpeg, saturated to 16 bits as in libjpeg's SIMD versions between the passes.
static int32_t rounded(int64_t sum, int bits) {
  int64_t value = (sum + (1 << (bits - 1))) >> bits;
  return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : (int32_t)value;
}

// `in` is a row or column of 8; indices 0, 1, 3, 5 and 7 are used.
static void two_points(int32_t out[2], const int64_t in[8], int bits) {
  int64_t even = in[0] * (1 << 15);
  int64_t odd = in[1] * F3_625 - in[3] * F1_273 + in[5] * F0_850 - in[7] * F0_720;
  out[0] = rounded(even + odd, bits);
  out[1] = rounded(even - odd, bits);
}

static void four_points(int32_t out[4], const int64_t in[8], int bits) {
  int64_t dc = in[0] * (1 << 14), even = in[2] * F1_848 - in[6] * F0_765;
  int64_t inner = in[1] * F1_062 - in[3] * F2_173 + in[5] * F1_452 - in[7] * F0_211;
  int64_t outer = in[1] * F2_563 + in[3] * F0_900 - in[5] * F0_601 - in[7] * F0_510;
  out[0] = rounded(dc + even + outer, bits);
  out[1] = rounded(dc - even + inner, bits);
  out[2] = rounded(dc - even - inner, bits);
  out[3] = rounded(dc + even - outer, bits);
}

static void reduce(uint8_t *dst, size_t stride, const int16_t block[64], unsigned size) {
  int64_t between[4][8], in[8];
  int32_t out[4];
  for (unsigned x = 0; x < 8; x++) {
    for (unsigned y = 0; y < 8; y++) in[y] = block[y * 8 + x];
    if (size == 2)
      two_points(out, in, 13);
    else
      four_points(out, in, 12);
    for (unsigned y = 0; y < size; y++) between[y][x] = out[y];
  }
  for (unsigned y = 0; y < size; y++) {
    if (size == 2)
      two_points(out, between[y], 20);
    else
      four_points(out, between[y], 19);
    for (unsigned x = 0; x < size; x++) dst[y * stride + x] = byte_of(out[x]);
  }
}

static void reduce_2(uint8_t *dst, size_t stride, const int16_t block[64]) {
  reduce(dst, stride, block, 2);
}

static void reduce_4(uint8_t *dst, size_t stride, const int16_t block[64]) {
  reduce(dst, stride, block, 4);
}

#endif

void imgc_jpeg_reduce(uint8_t *dst, size_t stride, const int16_t block[64], unsigned size) {
  switch (size) {
  case 1: *dst = byte_of((block[0] + 4) >> 3); return;
  case 2: reduce_2(dst, stride, block); return;
  default: reduce_4(dst, stride, block); return;
  }
}

// ---------------------------------------------------------------- colour

// Converts YCbCr (JFIF) to RGBA8. The fixed-point arithmetic has 16 fraction bits and rounds as
// jdcolor.c of libjpeg does.
static inline __attribute__((always_inline)) void rgba(uint8_t *restrict dst,
                                                       const uint8_t *restrict y,
                                                       const uint8_t *restrict cb,
                                                       const uint8_t *restrict cr, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const int32_t b = cb[i] - 128, r = cr[i] - 128, luma = y[i];
    int32_t red = luma + ((91881 * r + 32768) >> 16);
    int32_t green = luma + ((-22554 * b - 46802 * r + 32768) >> 16);
    int32_t blue = luma + ((116130 * b + 32768) >> 16);
    red = red < 0 ? 0 : red > 255 ? 255 : red;
    green = green < 0 ? 0 : green > 255 ? 255 : green;
    blue = blue < 0 ? 0 : blue > 255 ? 255 : blue;
    uint32_t pixel =
        (uint32_t)red | (uint32_t)green << 8 | (uint32_t)blue << 16 | (uint32_t)255 << 24;
    imgc_copy(dst + i * 4, &pixel, 4);
  }
}

#if defined(__x86_64__) || defined(__i386__)
__attribute__((target("avx2"))) static void
rgba_avx2(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n) {
  rgba(dst, y, cb, cr, n);
}
#endif

void imgc_jpeg_row_rgba(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                        size_t n) {
#if defined(__x86_64__) || defined(__i386__)
  if (IMGC_CPU_HAS_AVX2) {
    rgba_avx2(dst, y, cb, cr, n);
    return;
  }
#endif
  rgba(dst, y, cb, cr, n);
}
