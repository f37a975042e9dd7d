// The loops of png_unfilter.h, compiled once for the baseline instruction set and once for AVX2:
// the including file defines TARGET, the attribute of the instruction set.
//
// With Average and Paeth (PNG, section 9) each pixel depends on the previous pixel, by a chain of
// about ten operations. Two rows that are processed together, the second one pixel behind the
// first, are two independent chains, which the processor executes in parallel.

#include "CImageCodecs.h"
#include "core/copy.h"
#include "rows/running_sum.h"

#if defined(__SSE2__) && defined(__x86_64__)
#include <emmintrin.h>
#endif

#define INLINE TARGET static inline __attribute__((always_inline))

// A pixel of up to 8 bytes, with the operations that filters consist of.
#if defined(__SSE2__) && defined(__x86_64__)

// One sample per 16-bit lane.
typedef __m128i pixel;
INLINE pixel zero(void) { return _mm_setzero_si128(); }
INLINE pixel load(const uint8_t *p, unsigned bpp) {
  if (bpp > 4) return _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)p), zero());
  int bytes;
  imgc_copy(&bytes, p, 4);
  return _mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), zero());
}
INLINE void store(uint8_t *p, pixel v, unsigned bpp) {
  v = _mm_packus_epi16(v, v);
  uint64_t bytes = (uint64_t)_mm_cvtsi128_si64(v);
  imgc_copy(p, &bytes, bpp);
}
// Adds modulo 256: the high byte of each lane is 0 and remains 0.
INLINE pixel add(pixel a, pixel b) { return _mm_add_epi8(a, b); }
INLINE pixel average(pixel a, pixel b) { return _mm_srli_epi16(_mm_add_epi16(a, b), 1); }
INLINE pixel absolute(pixel v) { return _mm_max_epi16(v, _mm_sub_epi16(zero(), v)); }
INLINE pixel choose(pixel mask, pixel yes, pixel no) {
  return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}
INLINE pixel paeth(pixel a, pixel b, pixel c) {
  pixel pa = _mm_sub_epi16(b, c), pb = _mm_sub_epi16(a, c);
  pixel pc = absolute(_mm_add_epi16(pa, pb));
  pa = absolute(pa);
  pb = absolute(pb);
  pixel least = _mm_min_epi16(pc, _mm_min_epi16(pa, pb));
  return choose(_mm_cmpeq_epi16(least, pa), a, choose(_mm_cmpeq_epi16(least, pb), b, c));
}
#else

typedef struct pixel {
  uint8_t sample[8];
} pixel;
INLINE pixel zero(void) { return (pixel){{0}}; }
INLINE pixel load(const uint8_t *p, unsigned bpp) {
  pixel v = zero();
  imgc_copy(v.sample, p, bpp);
  return v;
}
INLINE void store(uint8_t *p, pixel v, unsigned bpp) { imgc_copy(p, v.sample, bpp); }
INLINE pixel add(pixel a, pixel b) {
  for (int i = 0; i < 8; i++) a.sample[i] = (uint8_t)(a.sample[i] + b.sample[i]);
  return a;
}
INLINE pixel average(pixel a, pixel b) {
  for (int i = 0; i < 8; i++) a.sample[i] = (uint8_t)((a.sample[i] + b.sample[i]) / 2);
  return a;
}
INLINE int absolute(int v) { return v < 0 ? -v : v; }
INLINE pixel paeth(pixel a, pixel b, pixel c) {
  for (int i = 0; i < 8; i++) {
    int pa = absolute(b.sample[i] - c.sample[i]), pb = absolute(a.sample[i] - c.sample[i]);
    int pc = absolute(a.sample[i] + b.sample[i] - 2 * c.sample[i]);
    uint8_t farther = pb <= pc ? b.sample[i] : c.sample[i];
    a.sample[i] = pa <= pb && pa <= pc ? a.sample[i] : farther;
  }
  return a;
}
#endif

INLINE pixel predict(int filter, pixel a, pixel b, pixel c) {
  return filter == IMGC_FILTER_SUB       ? a
         : filter == IMGC_FILTER_AVERAGE ? average(a, b)
                                         : paeth(a, b, c);
}

INLINE void one_row(int filter, uint8_t *row, const uint8_t *above, size_t n, unsigned bpp) {
  pixel a = zero(), c = zero();
  for (size_t i = 0; i < n; i += bpp) {
    pixel b = filter == IMGC_FILTER_SUB ? zero() : load(above + i, bpp);
    a = add(load(row + i, bpp), predict(filter, a, b, c));
    c = b;
    store(row + i, a, bpp);
  }
}

INLINE void two_rows(int first, int second, uint8_t *row, uint8_t *below, const uint8_t *above,
                     size_t n, unsigned bpp) {
  pixel a = zero(), c = zero(), below_a = zero(), below_c = zero();
  for (size_t i = 0; i < n; i += bpp) {
    pixel b = load(above + i, bpp), before = a;
    a = add(load(row + i, bpp), predict(first, a, b, c));
    c = b;
    store(row + i, a, bpp);
    if (i == 0) continue;
    below_a = add(load(below + i - bpp, bpp), predict(second, below_a, before, below_c));
    below_c = before;
    store(below + i - bpp, below_a, bpp);
  }
  below_a = add(load(below + n - bpp, bpp), predict(second, below_a, a, below_c));
  store(below + n - bpp, below_a, bpp);
}

// Pixels of one or two bytes: scalar integers are faster than vector lanes.
INLINE uint8_t predict_byte(int filter, int a, int b, int c) {
  if (filter == IMGC_FILTER_SUB) return (uint8_t)a;
  if (filter == IMGC_FILTER_AVERAGE) return (uint8_t)((a + b) / 2);
  int pa = b - c, pb = a - c, pc = pa + pb;
  pa = pa < 0 ? -pa : pa;
  pb = pb < 0 ? -pb : pb;
  pc = pc < 0 ? -pc : pc;
  int best = pb < pa ? b : a;
  int least = pb < pa ? pb : pa;
  return (uint8_t)(pc < least ? c : best);
}

INLINE void one_narrow_row(int filter, uint8_t *row, const uint8_t *above, size_t n, unsigned bpp) {
  int a[2] = {0, 0}, c[2] = {0, 0};
  for (size_t i = 0; i < n; i += bpp)
    for (unsigned k = 0; k < bpp; k++) {
      int b = above[i + k];
      a[k] = (uint8_t)(row[i + k] + predict_byte(filter, a[k], b, c[k]));
      c[k] = b;
      row[i + k] = (uint8_t)a[k];
    }
}

INLINE void two_narrow_rows(int first, int second, uint8_t *row, uint8_t *below,
                            const uint8_t *above, size_t n, unsigned bpp) {
  int a[2] = {0, 0}, c[2] = {0, 0}, below_a[2] = {0, 0}, below_c[2] = {0, 0};
  for (size_t i = 0; i < n; i += bpp)
    for (unsigned k = 0; k < bpp; k++) {
      int b = above[i + k], before = a[k];
      a[k] = (uint8_t)(row[i + k] + predict_byte(first, a[k], b, c[k]));
      c[k] = b;
      row[i + k] = (uint8_t)a[k];
      if (i == 0) continue;
      uint8_t *p = below + i - bpp + k;
      below_a[k] = (uint8_t)(*p + predict_byte(second, below_a[k], before, below_c[k]));
      below_c[k] = before;
      *p = (uint8_t)below_a[k];
    }
  for (unsigned k = 0; k < bpp; k++) {
    uint8_t *p = below + n - bpp + k;
    *p = (uint8_t)(*p + predict_byte(second, below_a[k], a[k], below_c[k]));
  }
}

// Calls `narrow` or `wide` with the pixel size as a constant, so that the compiler generates a
// specialized loop for each pixel size.
#define BY_WIDTH(narrow, wide, ...)                                                                \
  switch (bpp) {                                                                                   \
  case 1: narrow(__VA_ARGS__, 1); break;                                                           \
  case 2: narrow(__VA_ARGS__, 2); break;                                                           \
  case 3: wide(__VA_ARGS__, 3); break;                                                             \
  case 4: wide(__VA_ARGS__, 4); break;                                                             \
  case 6: wide(__VA_ARGS__, 6); break;                                                             \
  default: wide(__VA_ARGS__, 8); break;                                                            \
  }

TARGET static void unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n,
                            unsigned bpp) {
  switch (filter) {
  case IMGC_FILTER_SUB: imgc_running_sum8(row, n, bpp); break;
  case IMGC_FILTER_UP:
    for (size_t i = 0; i < n; i++) row[i] = (uint8_t)(row[i] + above[i]);
    break;
  case IMGC_FILTER_AVERAGE:
    BY_WIDTH(one_narrow_row, one_row, IMGC_FILTER_AVERAGE, row, above, n);
    break;
  case IMGC_FILTER_PAETH:
    BY_WIDTH(one_narrow_row, one_row, IMGC_FILTER_PAETH, row, above, n);
    break;
  default: break;
  }
}

TARGET static void unfilter_pair(uint8_t first, uint8_t second, uint8_t *row, uint8_t *below,
                                 const uint8_t *above, size_t n, unsigned bpp) {
  if (first == IMGC_FILTER_AVERAGE && second == IMGC_FILTER_AVERAGE) {
    BY_WIDTH(two_narrow_rows, two_rows, IMGC_FILTER_AVERAGE, IMGC_FILTER_AVERAGE, row, below, above,
             n);
  } else if (first == IMGC_FILTER_AVERAGE) {
    BY_WIDTH(two_narrow_rows, two_rows, IMGC_FILTER_AVERAGE, IMGC_FILTER_PAETH, row, below, above,
             n);
  } else if (second == IMGC_FILTER_AVERAGE) {
    BY_WIDTH(two_narrow_rows, two_rows, IMGC_FILTER_PAETH, IMGC_FILTER_AVERAGE, row, below, above,
             n);
  } else {
    BY_WIDTH(two_narrow_rows, two_rows, IMGC_FILTER_PAETH, IMGC_FILTER_PAETH, row, below, above, n);
  }
}
