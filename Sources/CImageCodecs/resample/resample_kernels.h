// Inside the resampler: weights and row kernels, in whole numbers, so that every version of a
// kernel gives the same bytes.
//
// Two source rows become planes of 16-bit samples. The pass across makes of both at once one row
// of pairs: for each output pixel R R G G B B A A, upper row first, with 6 bits behind the point
// (255 is 16,320): twice the range is left for what a filter overshoots. The pass down multiplies
// pairs and adds them up; its sums have 20 bits behind the point.

#ifndef IMGC_RESAMPLE_KERNELS_H
#define IMGC_RESAMPLE_KERNELS_H

#include "CImageCodecs.h"

enum {
  IMGC_WEIGHT_BITS = 14, // a weight of 1 is 16,384
  IMGC_PAIR_BITS = 6,
  IMGC_SUM_BITS = IMGC_WEIGHT_BITS + IMGC_PAIR_BITS,
  // Samples that were multiplied by alpha, or that are amounts of light, before the first pass.
  IMGC_FINE_BITS = 7,
  IMGC_FINE_ONE = 255 << IMGC_FINE_BITS,
  IMGC_PIXELS_AT_ONCE = 8, // rows of pairs are that much longer than they need to be
};

// Which source samples an output sample is made of, for a whole row or column.
typedef struct imgc_windows {
  uint32_t count;   // output samples
  uint32_t taps;    // weights of each, those behind the window 0
  uint32_t end;     // the sample after the last one that matters
  bool copies;      // every output sample is one source sample
  uint32_t *first;  // [count], never falling
  int16_t *weights; // [count * taps]; each window's sum is 16,384
} imgc_windows;

// One side of a request.
typedef struct imgc_side {
  imgc_filter filter;
  uint32_t source;      // samples
  double start, length; // the part of the source that is used
  uint32_t count;       // output samples
  uint32_t multiple;    // of which `taps` shall be one
  uint32_t alignment;   // of which every `first` shall be a multiple
} imgc_side;

// `taps` of such windows, at most source + multiple + alignment.
uint32_t imgc_windows_taps(const imgc_side *side);
// Fills `windows`, whose memory is there and zero; `real` has `taps` places.
void imgc_windows_fill(imgc_windows *windows, const imgc_side *side, double *real);

typedef struct imgc_resample_kernels {
  // n RGBA8 pixels to three planes, `stride` samples apart. False when an alpha is not 255.
  bool (*spread)(int16_t *planes, size_t stride, const uint8_t *src, size_t n);
  // The same to four planes, colours multiplied by alpha, all with IMGC_FINE_BITS.
  bool (*spread_alpha)(int16_t *planes, size_t stride, const uint8_t *src, size_t n);
  // Eight planes, four of each row, to windows->count pixels of pairs. The samples have
  // `shift` - 8 bits behind the point; with 3 channels alpha is taken to be 255.
  void (*across)(int16_t *pairs, const int16_t *planes, size_t stride, const imgc_windows *windows,
                 unsigned channels, unsigned shift);
  // `count` rows of pairs with two weights each to n RGBA8 pixels.
  void (*down)(uint8_t *dst, const int16_t *const *rows, const int16_t *weights, uint32_t count,
               size_t n);
  // The same where alpha is to be taken out of the colours again.
  void (*down_alpha)(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                     uint32_t count, size_t n);
  // The sums themselves: n * 4, in memory for a multiple of IMGC_PIXELS_AT_ONCE pixels.
  void (*down_sums)(int32_t *dst, const int16_t *const *rows, const int16_t *weights,
                    uint32_t count, size_t n);
} imgc_resample_kernels;

extern const imgc_resample_kernels imgc_resample_plain;
#if defined(__x86_64__) || defined(__i386__)
#define IMGC_RESAMPLE_AVX2 1
extern const imgc_resample_kernels imgc_resample_avx2;
#endif

// What the kernels for a whole row leave over: pixels from `from` on.
bool imgc_spread_rest(int16_t *planes, size_t stride, const uint8_t *src, size_t from, size_t n);
bool imgc_spread_alpha_rest(int16_t *planes, size_t stride, const uint8_t *src, size_t from,
                            size_t n);

// sRGB values as amounts of light and back (IEC 61966-2-1).
typedef struct imgc_light_tables {
  int16_t to[256];
  uint8_t from[IMGC_FINE_ONE + 1];
} imgc_light_tables;

void imgc_light_fill(imgc_light_tables *light);
// Like spread_alpha, in amounts of light; `is_opaque`: every alpha is taken to be 255.
bool imgc_light_spread(int16_t *planes, size_t stride, const uint8_t *src, size_t n, bool is_opaque,
                       const imgc_light_tables *light);
// Sums of n pixels of light to RGBA8.
void imgc_light_gather(uint8_t *dst, const int32_t *sums, size_t n, const imgc_light_tables *light);

#endif
