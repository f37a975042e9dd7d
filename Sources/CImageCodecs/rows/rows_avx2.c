// AVX2 variants of the row kernels in rows_plain.c, with identical results. Called only on
// processors with AVX2.

#include "rows/rows_simd.h"

#ifdef IMGC_HAVE_AVX2

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2")))
#define TARGET AVX2
#define NAMED(kernel) imgc_avx2_##kernel
#include "rows/rows_lanes.h"

AVX2 static inline __m256i load(const void *p) { return _mm256_loadu_si256(p); }
AVX2 static inline __m128i load_half(const void *p) { return _mm_loadu_si128(p); }
AVX2 static inline void store(void *p, __m256i v) { _mm256_storeu_si256(p, v); }
AVX2 static inline __m256i opaque(void) { return _mm256_set1_epi32((int)IMGC_OPAQUE); }

AVX2 size_t imgc_avx2_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  const __m256i spread = _mm256_setr_epi8(0, 0, 0, -1, 4, 4, 4, -1, 8, 8, 8, -1, 12, 12, 12, -1, 0,
                                          0, 0, -1, 4, 4, 4, -1, 8, 8, 8, -1, 12, 12, 12, -1);
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    __m256i v = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)(src + i)));
    store(dst + i * 4, _mm256_or_si256(_mm256_shuffle_epi8(v, spread), opaque()));
  }
  return i;
}

AVX2 size_t imgc_avx2_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  const __m256i spread = _mm256_setr_epi8(0, 0, 0, 1, 4, 4, 4, 5, 8, 8, 8, 9, 12, 12, 12, 13, 0, 0,
                                          0, 1, 4, 4, 4, 5, 8, 8, 8, 9, 12, 12, 12, 13);
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    __m256i v = _mm256_cvtepu16_epi32(load_half(src + i * 2));
    store(dst + i * 4, _mm256_shuffle_epi8(v, spread));
  }
  return i;
}

// Converts 8 pixels from 24 bytes. The second load reads bytes 12 to 27, so at least ten pixels
// must remain.
AVX2 static inline size_t three_to_four(uint8_t *dst, const uint8_t *src, size_t n, __m256i order) {
  size_t i = 0;
  for (; n - i >= 10; i += 8) {
    const uint8_t *s = src + i * 3;
    __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(load_half(s)), load_half(s + 12), 1);
    store(dst + i * 4, _mm256_or_si256(_mm256_shuffle_epi8(v, order), opaque()));
  }
  return i;
}

AVX2 size_t imgc_avx2_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  return three_to_four(dst, src, n,
                       _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 0, 1,
                                        2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
}

AVX2 size_t imgc_avx2_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  return three_to_four(dst, src, n,
                       _mm256_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1, 2, 1,
                                        0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
}

// Converts 8 pixels to 24 bytes. The store writes 32 bytes, so at least eleven pixels must remain.
AVX2 static inline size_t four_to_three(uint8_t *dst, const uint8_t *src, size_t n, __m256i order) {
  const __m256i pack = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
  size_t i = 0;
  for (; n - i >= 11; i += 8) {
    __m256i v = _mm256_shuffle_epi8(load(src + i * 4), order);
    store(dst + i * 3, _mm256_permutevar8x32_epi32(v, pack));
  }
  return i;
}

AVX2 size_t imgc_avx2_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  return four_to_three(dst, src, n,
                       _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0,
                                        1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
}

AVX2 size_t imgc_avx2_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  return four_to_three(dst, src, n,
                       _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1, 2,
                                        1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
}

AVX2 static inline size_t swap_red_blue(uint8_t *dst, const uint8_t *src, size_t n, __m256i alpha) {
  const __m256i order = _mm256_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15, 2, 1,
                                         0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
  size_t i = 0;
  for (; n - i >= 8; i += 8)
    store(dst + i * 4, _mm256_or_si256(_mm256_shuffle_epi8(load(src + i * 4), order), alpha));
  return i;
}

AVX2 size_t imgc_avx2_bgrx8(uint8_t *dst, const uint8_t *src, size_t n) {
  return swap_red_blue(dst, src, n, opaque());
}

AVX2 size_t imgc_avx2_bgra8(uint8_t *dst, const uint8_t *src, size_t n) {
  return swap_red_blue(dst, src, n, _mm256_setzero_si256());
}

// round(a * b / 255) in 16-bit lanes that contain bytes; no overflow: 65,025 + 128 + 254.
AVX2 static inline __m256i multiply(__m256i a, __m256i b) {
  __m256i t = _mm256_add_epi16(_mm256_mullo_epi16(a, b), _mm256_set1_epi16(128));
  return _mm256_srli_epi16(_mm256_add_epi16(t, _mm256_srli_epi16(t, 8)), 8);
}

// Multiplies the first three bytes of every pixel by the fourth. The fourth byte of the result is
// unchanged with `keep`; otherwise it is multiplied by itself.
AVX2 static inline __m256i times_fourth(__m256i v, bool keep) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i low = _mm256_setr_epi8(6, -1, 6, -1, 6, -1, 6, -1, 14, -1, 14, -1, 14, -1, 14, -1,
                                       6, -1, 6, -1, 6, -1, 6, -1, 14, -1, 14, -1, 14, -1, 14, -1);
  const __m256i one = _mm256_set1_epi64x(keep ? (long long)0x00ff000000000000 : 0);
  __m256i a = _mm256_unpacklo_epi8(v, zero), b = _mm256_unpackhi_epi8(v, zero);
  __m256i fa = _mm256_or_si256(_mm256_shuffle_epi8(a, low), one);
  __m256i fb = _mm256_or_si256(_mm256_shuffle_epi8(b, low), one);
  return _mm256_packus_epi16(multiply(a, fa), multiply(b, fb));
}

AVX2 size_t imgc_avx2_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8)
    store(dst + i * 4, _mm256_or_si256(times_fourth(load(src + i * 4), false), opaque()));
  return i;
}

AVX2 size_t imgc_avx2_cmyk8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    __m256i v = _mm256_xor_si256(load(src + i * 4), _mm256_set1_epi8(-1));
    store(dst + i * 4, _mm256_or_si256(times_fourth(v, false), opaque()));
  }
  return i;
}

AVX2 size_t imgc_avx2_premultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  // `true` (keep): alpha does not change.
  for (; n - i >= 8; i += 8) store(dst + i * 4, times_fourth(load(src + i * 4), true));
  return i;
}

// Returns the high half of v * 255, plus one when adding 32,895 to the low half carries, that is,
// when the low half is 32,641 or more.
AVX2 static inline __m256i high_byte(__m256i v) {
  const __m256i edge = _mm256_set1_epi16((short)32641);
  __m256i high = _mm256_mulhi_epu16(v, _mm256_set1_epi16(255));
  __m256i low = _mm256_sub_epi16(_mm256_slli_epi16(v, 8), v);
  return _mm256_sub_epi16(high, _mm256_cmpeq_epi16(_mm256_max_epu16(low, edge), low));
}

AVX2 size_t imgc_avx2_16_to_8(uint8_t *dst, const uint16_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 32; i += 32) {
    __m256i v = _mm256_packus_epi16(high_byte(load(src + i)), high_byte(load(src + i + 16)));
    store(dst + i, _mm256_permute4x64_epi64(v, 0xd8));
  }
  return i;
}

AVX2 size_t imgc_avx2_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n) {
  const __m256i swap = _mm256_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 1, 0,
                                        3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  size_t i = 0;
  for (; n - i >= 32; i += 32) {
    __m256i a = high_byte(_mm256_shuffle_epi8(load(src + i * 2), swap));
    __m256i b = high_byte(_mm256_shuffle_epi8(load(src + i * 2 + 32), swap));
    store(dst + i, _mm256_permute4x64_epi64(_mm256_packus_epi16(a, b), 0xd8));
  }
  return i;
}

// Converts eight pixels per step; their indices are shifted out of one word. The palette of up to
// 16 colours is in two registers.
INLINE size_t index_packed(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256],
                           const unsigned bits) {
  const __m256i mask = _mm256_set1_epi32((1 << bits) - 1);
  const __m256i shifts = _mm256_sub_epi32(
      _mm256_set1_epi32(32),
      _mm256_mullo_epi32(_mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8), _mm256_set1_epi32((int)bits)));
  const __m256i low = load(palette), high = load(palette + 8);
  size_t i = 0;
  for (; n - i >= 8; i += 8, src += bits) {
    uint32_t word = 0;
    memcpy(&word, src, bits);
    __m256i index = _mm256_set1_epi32((int)__builtin_bswap32(word));
    index = _mm256_and_si256(_mm256_srlv_epi32(index, shifts), mask);
    // The permutation uses the low three bits of an index; the fourth selects the register.
    __m256i pixels = _mm256_permutevar8x32_epi32(low, index);
    if (bits == 4) {
      __m256i fourth = _mm256_cmpgt_epi32(index, _mm256_set1_epi32(7));
      pixels = _mm256_blendv_epi8(pixels, _mm256_permutevar8x32_epi32(high, index), fourth);
    }
    store(dst + i * 4, pixels);
  }
  return i;
}

AVX2 size_t imgc_avx2_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                                   const uint32_t palette[256]) {
  switch (bits) {
  case 1: return index_packed(dst, src, n, palette, 1);
  case 2: return index_packed(dst, src, n, palette, 2);
  default: return index_packed(dst, src, n, palette, 4);
  }
}

#else
typedef int imgc_no_avx2; // C requires at least one declaration per file
#endif
