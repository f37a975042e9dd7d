// Prefix sums along a row. Within a vector a prefix sum takes log2(16 / step) additions of shifted
// vectors. Then the last complete pixel of the previous vector is added to all pixels of the
// vector. So the dependency chain has two operations per 16 bytes, instead of one operation per
// pixel.

#include "rows/running_sum.h"
#include "core/copy.h"
#include "core/cpu_features.h"

void imgc_plain_running_sum8(uint8_t *row, size_t first, size_t n, unsigned step) {
  for (size_t i = first > step ? first : step; i < n; i++)
    row[i] = (uint8_t)(row[i] + row[i - step]);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 static inline __attribute__((always_inline))

typedef __m128i vector;
INLINE vector zero(void) { return _mm_setzero_si128(); }
INLINE vector load(const uint8_t *p) { return _mm_loadu_si128((const void *)p); }
INLINE void store(uint8_t *p, vector v) { _mm_storeu_si128((void *)p, v); }
INLINE vector add(vector a, vector b) { return _mm_add_epi8(a, b); }
INLINE vector shuffle(vector v, vector order) { return _mm_shuffle_epi8(v, order); }
// Shifts the bytes up by a constant.
#define SHIFTED(v, bytes) _mm_slli_si128(v, bytes)
#define VARIANT_TARGET AVX2

#elif defined(__aarch64__)

#include <arm_neon.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint8x16_t vector;
INLINE vector zero(void) { return vdupq_n_u8(0); }
INLINE vector load(const uint8_t *p) { return vld1q_u8(p); }
INLINE void store(uint8_t *p, vector v) { vst1q_u8(p, v); }
INLINE vector add(vector a, vector b) { return vaddq_u8(a, b); }
INLINE vector shuffle(vector v, vector order) { return vqtbl1q_u8(v, order); }
#define SHIFTED(v, bytes) vextq_u8(vdupq_n_u8(0), v, 16 - (bytes))
#define VARIANT_TARGET

#endif

#ifdef IMGC_RUNNING_SUM_VARIANT

INLINE vector sum_inside(vector v, unsigned step) {
  switch (step) {
  case 1: v = add(v, SHIFTED(v, 1)); // fallthrough
  case 2: v = add(v, SHIFTED(v, 2)); // fallthrough
  case 4: v = add(v, SHIFTED(v, 4)); // fallthrough
  case 8: return add(v, SHIFTED(v, 8));
  case 3:
    v = add(v, SHIFTED(v, 3));
    v = add(v, SHIFTED(v, 6));
    return add(v, SHIFTED(v, 12));
  default: // 6
    v = add(v, SHIFTED(v, 6));
    return add(v, SHIFTED(v, 12));
  }
}

// Each iteration advances by the complete pixels of a vector. The remaining bytes of the vector are
// processed again in the next iteration. The stored sums overwrite these bytes too, so the next
// vector is loaded before the sums are stored.
INLINE size_t sum_vectors(uint8_t *row, size_t n, unsigned step) {
  const unsigned used = 16 / step * step;
  if (n < 16) return 0;
  uint8_t order[16];
  for (unsigned i = 0; i < 16; i++) order[i] = (uint8_t)(used - step + i % step);
  const vector last_pixel = load(order);
  vector v = load(row), carry = zero();
  size_t i = 0;
  for (; n - i >= used + 16; i += used) {
    vector next = load(row + i + used);
    v = add(sum_inside(v, step), carry);
    carry = shuffle(v, last_pixel);
    store(row + i, v);
    v = next;
  }
  store(row + i, add(sum_inside(v, step), carry));
  return i + 16;
}

VARIANT_TARGET size_t IMGC_RUNNING_SUM_VARIANT(uint8_t *row, size_t n, unsigned step) {
  switch (step) {
  case 1: return sum_vectors(row, n, 1);
  case 2: return sum_vectors(row, n, 2);
  case 3: return sum_vectors(row, n, 3);
  case 4: return sum_vectors(row, n, 4);
  case 6: return sum_vectors(row, n, 6);
  case 8: return sum_vectors(row, n, 8);
  default: return 0;
  }
}
#endif

void imgc_running_sum8(uint8_t *row, size_t n, unsigned step) {
  size_t done = 0;
#if defined(__x86_64__)
  if (IMGC_CPU_HAS_AVX2) done = IMGC_RUNNING_SUM_VARIANT(row, n, step);
#elif defined(IMGC_RUNNING_SUM_VARIANT)
  done = IMGC_RUNNING_SUM_VARIANT(row, n, step);
#endif
  imgc_plain_running_sum8(row, done, n, step);
}

void imgc_running_sum16(uint8_t *row, size_t words, unsigned step) {
  for (size_t i = step; i < words; i++) {
    uint16_t v, before;
    imgc_copy(&v, row + 2 * i, 2);
    imgc_copy(&before, row + 2 * (i - step), 2);
    v = (uint16_t)(v + before);
    imgc_copy(row + 2 * i, &v, 2);
  }
}
