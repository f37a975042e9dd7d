// Reconstruction of eight rows at once, with pixels of one or two bytes, compiled once for the
// baseline instruction set and once for AVX2: the including file defines TARGET.
//
// A pixel depends on the previous one and on the row above. If each of eight rows is processed one
// pixel behind the row above, all rows depend only on previous steps. So every lane of a vector is
// one row, and a step reconstructs one byte of each row. Bytes are loaded, transposed and stored
// for sixteen steps at a time.

#include "CImageCodecs.h"
#include "core/copy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE TARGET static inline __attribute__((always_inline))

enum { WAVE_ROWS = 8, WAVE_STEPS = 16 };

typedef uint8_t wave_bytes __attribute__((vector_size(16)));
typedef int16_t wave_lanes __attribute__((vector_size(16))); // one lane per row

// Selects elements of `a` and `b` by index: the elements of `b` follow those of `a`. GCC has
// __builtin_shufflevector since version 12.
#if defined(__clang__) || __GNUC__ >= 12
#define WAVE_SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define WAVE_SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

// One mask per filter type: lanes of rows with this filter have all bits set, other lanes are 0.
typedef struct wave_masks {
  wave_lanes sub, up, average, paeth;
} wave_masks;

INLINE wave_masks wave_masks_of(const uint8_t *first, size_t stride) {
  wave_masks m = {{0}, {0}, {0}, {0}};
  const uint8_t *filters = first - 1;
  for (size_t r = 0; r < WAVE_ROWS; r++) {
    uint8_t filter = filters[r * stride];
    m.sub[r] = filter == IMGC_FILTER_SUB ? -1 : 0;
    m.up[r] = filter == IMGC_FILTER_UP ? -1 : 0;
    m.average[r] = filter == IMGC_FILTER_AVERAGE ? -1 : 0;
    m.paeth[r] = filter == IMGC_FILTER_PAETH ? -1 : 0;
  }
  return m;
}

// Interleaves the first and the second half of the 128 bytes. Three calls transpose 8 rows of 16
// steps to 16 steps of 8 rows; four more calls restore the rows.
INLINE void wave_interleave(wave_bytes v[WAVE_ROWS]) {
  wave_bytes to[WAVE_ROWS];
  for (int i = 0; i < 4; i++) {
    to[2 * i] = WAVE_SHUFFLE(wave_bytes, v[i], v[i + 4], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                             6, 22, 7, 23);
    to[2 * i + 1] = WAVE_SHUFFLE(wave_bytes, v[i], v[i + 4], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                 13, 29, 14, 30, 15, 31);
  }
  imgc_copy(v, to, sizeof to);
}

// With AVX2, compilers generate one instruction for each of the following three functions.
INLINE wave_lanes wave_choose(wave_lanes mask, wave_lanes yes, wave_lanes no) {
  return (mask & yes) | (~mask & no);
}
INLINE wave_lanes wave_least(wave_lanes a, wave_lanes b) { return wave_choose(a < b, a, b); }
INLINE wave_lanes wave_absolute(wave_lanes v) { return wave_choose(v < -v, -v, v); }

INLINE wave_lanes wave_predict(const wave_masks *m, wave_lanes a, wave_lanes b, wave_lanes c) {
  wave_lanes pa = b - c, pb = a - c;
  wave_lanes pc = wave_absolute(pa + pb);
  pa = wave_absolute(pa);
  pb = wave_absolute(pb);
  wave_lanes least = wave_least(pc, wave_least(pa, pb));
  wave_lanes nearest = wave_choose(least == pa, a, wave_choose(least == pb, b, c));
  return (m->paeth & nearest) | (m->average & ((a + b) >> 1)) | (m->sub & a) | (m->up & b);
}

// Loads bytes [at, at + 16) of a row of n bytes; zeros outside the row.
INLINE wave_bytes wave_load(const uint8_t *row, ptrdiff_t at, size_t n) {
  wave_bytes v = {0};
  if (at >= 0 && (size_t)at + WAVE_STEPS <= n) {
    imgc_copy(&v, row + at, sizeof v);
  } else {
    for (ptrdiff_t k = 0; k < WAVE_STEPS; k++)
      if (at + k >= 0 && (size_t)(at + k) < n) v[k] = row[at + k];
  }
  return v;
}

INLINE void wave_store(uint8_t *row, ptrdiff_t at, size_t n, wave_bytes v) {
  if (at >= 0 && (size_t)at + WAVE_STEPS <= n) {
    imgc_copy(row + at, &v, sizeof v);
  } else {
    for (ptrdiff_t k = 0; k < WAVE_STEPS; k++)
      if (at + k >= 0 && (size_t)(at + k) < n) row[at + k] = v[k];
  }
}

typedef struct wave_state {
  wave_lanes x[2]; // the previous pixel, each of its bytes
  wave_lanes b[2]; // the pixel above the previous pixel, each of its bytes
} wave_state;

// Performs sixteen steps on transposed bytes; each step reconstructs one byte of each row. With
// `is_first` the lane of a row is 0 until the step in which the row starts.
INLINE void wave_steps(wave_bytes v[WAVE_ROWS], const uint8_t above[WAVE_STEPS], wave_state *state,
                       const wave_masks *masks, bool is_first, unsigned bpp) {
  for (int t = 0; t < WAVE_STEPS; t += 2) {
    wave_lanes pair[2];
    for (int k = 0; k < 2; k++) {
      const wave_bytes zero = {0};
      wave_bytes wide = k == 0 ? WAVE_SHUFFLE(wave_bytes, v[t / 2], zero, 0, 16, 1, 16, 2, 16, 3,
                                              16, 4, 16, 5, 16, 6, 16, 7, 16)
                               : WAVE_SHUFFLE(wave_bytes, v[t / 2], zero, 8, 16, 9, 16, 10, 16, 11,
                                              16, 12, 16, 13, 16, 14, 16, 15, 16);
      unsigned s = bpp == 1 ? 0 : (unsigned)k;
      wave_lanes a = state->x[s], c = state->b[s];
      wave_lanes b = WAVE_SHUFFLE(wave_lanes, a, a, 0, 0, 1, 2, 3, 4, 5, 6);
      b[0] = above[t + k];
      wave_lanes x = ((wave_lanes)wide + wave_predict(masks, a, b, c)) & 0xff;
      if (is_first) {
        for (int r = 0; r < WAVE_ROWS; r++)
          if (t + k < r * (int)bpp) x[r] = 0;
      }
      state->x[s] = pair[k] = x;
      state->b[s] = b;
    }
    v[t / 2] = WAVE_SHUFFLE(wave_bytes, (wave_bytes)pair[0], (wave_bytes)pair[1], 0, 2, 4, 6, 8, 10,
                            12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  }
}

INLINE void wave_of(uint8_t *first, size_t stride, const uint8_t *above, size_t n, unsigned bpp) {
  const wave_masks masks = wave_masks_of(first, stride);
  wave_state state = {{{0}, {0}}, {{0}, {0}}};
  size_t steps = n + (WAVE_ROWS - 1) * bpp;
  for (size_t t = 0; t < steps; t += WAVE_STEPS) {
    wave_bytes v[WAVE_ROWS], line = wave_load(above, (ptrdiff_t)t, n);
    uint8_t above_steps[WAVE_STEPS];
    imgc_copy(above_steps, &line, sizeof line);
    for (unsigned r = 0; r < WAVE_ROWS; r++)
      v[r] = wave_load(first + r * stride, (ptrdiff_t)t - (ptrdiff_t)(r * bpp), n);
    for (int i = 0; i < 3; i++) wave_interleave(v);
    if (t == 0)
      wave_steps(v, above_steps, &state, &masks, true, bpp);
    else
      wave_steps(v, above_steps, &state, &masks, false, bpp);
    for (int i = 0; i < 4; i++) wave_interleave(v);
    for (unsigned r = 0; r < WAVE_ROWS; r++)
      wave_store(first + r * stride, (ptrdiff_t)t - (ptrdiff_t)(r * bpp), n, v[r]);
  }
}

TARGET static void unfilter_wave(uint8_t *first, size_t stride, const uint8_t *above, size_t n,
                                 unsigned bpp) {
  if (bpp == 1)
    wave_of(first, stride, above, n, 1);
  else
    wave_of(first, stride, above, n, 2);
}
