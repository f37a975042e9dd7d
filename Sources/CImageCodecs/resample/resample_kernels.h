// Internal to the resampler: weights and row kernels. The filters use integers, so that every
// variant of a kernel returns the same bytes.
//
// Two source rows are split into planes of 16-bit samples. The horizontal pass converts both to one
// row of pairs: for each output pixel R R G G B B A A, upper row first, with 6 fraction bits. The
// value 255 is 16,320, about half of the 16-bit maximum, so the overshoot of a filter fits too. The
// vertical pass multiplies the pairs by pairs of weights and adds the products; the sums have 20
// fraction bits.

#ifndef IMGC_RESAMPLE_KERNELS_H
#define IMGC_RESAMPLE_KERNELS_H

#include "CImageCodecs/resample.h"

enum {
  IMGC_WEIGHT_BITS = 14, // a weight of 1 is 16,384
  IMGC_PAIR_BITS = 6,
  IMGC_SUM_BITS = IMGC_WEIGHT_BITS + IMGC_PAIR_BITS,
  // Fraction bits of samples before the horizontal pass if they are premultiplied or in linear
  // light; other samples have none.
  IMGC_FINE_BITS = 7,
  IMGC_FINE_ONE = 255 << IMGC_FINE_BITS,
  IMGC_PIXELS_PER_STEP = 8, // rows of pairs are padded to a multiple of this
};

// Source samples and weights of each output sample, for one row or one column of the image.
typedef struct imgc_windows {
  uint32_t count;   // output samples
  uint32_t taps;    // weights of each window, padded with zeros
  uint32_t end;     // end of the samples that contribute
  bool copies;      // every output sample equals one source sample
  uint32_t *first;  // [count], non-decreasing
  int16_t *weights; // [count * taps]; each window's sum is 16,384
} imgc_windows;

// One dimension of a request.
typedef struct imgc_axis {
  imgc_filter filter;
  uint32_t source;      // samples
  double start, length; // the used part of the source
  uint32_t count;       // output samples
  uint32_t multiple;    // `taps` is a multiple of this
  uint32_t alignment;   // every `first` is a multiple of this
} imgc_axis;

// Returns the number of weights of each window, at most source + multiple + alignment.
uint32_t imgc_windows_taps(const imgc_axis *axis);
// Fills `windows`, whose memory is allocated and zero; `real` has space for `taps` values.
void imgc_windows_fill(imgc_windows *windows, const imgc_axis *axis, double *real);

typedef struct imgc_resample_kernels {
  // Splits n RGBA8 pixels into three planes, `stride` samples apart. Returns false when an alpha is
  // not 255.
  bool (*split_planes)(int16_t *planes, size_t stride, const uint8_t *src, size_t n);
  // As split_planes, but into four planes: premultiplied colours and alpha, with IMGC_FINE_BITS
  // fraction bits.
  bool (*split_planes_alpha)(int16_t *planes, size_t stride, const uint8_t *src, size_t n);
  // Filters eight planes, four per source row, and writes one row of pairs with windows->count
  // pixels. The number of fraction bits of the samples is `shift` - 8. With 3 channels all alpha
  // values are 255.
  void (*horizontal)(int16_t *pairs, const int16_t *planes, size_t stride,
                     const imgc_windows *windows, unsigned channels, unsigned shift);
  // Filters `count` rows of pairs, with two weights each, to n opaque RGBA8 pixels.
  void (*vertical)(uint8_t *dst, const int16_t *const *rows, const int16_t *weights, uint32_t count,
                   size_t n);
  // As `vertical`, for premultiplied rows; the colours of the result are divided by alpha.
  void (*vertical_alpha)(uint8_t *dst, const int16_t *const *rows, const int16_t *weights,
                         uint32_t count, size_t n);
  // As `vertical`, but writes the n * 4 sums. `dst` has space for n rounded up to a multiple of
  // IMGC_PIXELS_PER_STEP pixels.
  void (*vertical_sums)(int32_t *dst, const int16_t *const *rows, const int16_t *weights,
                        uint32_t count, size_t n);
} imgc_resample_kernels;

extern const imgc_resample_kernels imgc_resample_plain;
#if defined(__x86_64__) || defined(__i386__)
#define IMGC_RESAMPLE_AVX2 1
extern const imgc_resample_kernels imgc_resample_avx2;
#endif

// Scalar code for the remaining pixels of a row, from pixel `from` on.
bool imgc_split_planes_rest(int16_t *planes, size_t stride, const uint8_t *src, size_t from,
                            size_t n);
bool imgc_split_planes_alpha_rest(int16_t *planes, size_t stride, const uint8_t *src, size_t from,
                                  size_t n);

// Tables from sRGB to linear light and back (IEC 61966-2-1).
typedef struct imgc_light_tables {
  int16_t to[256];
  uint8_t from[IMGC_FINE_ONE + 1];
} imgc_light_tables;

void imgc_light_fill(imgc_light_tables *light);
// As split_planes_alpha, in linear light. With `is_opaque`, alpha is not read and 255 is used
// instead.
bool imgc_light_split_planes(int16_t *planes, size_t stride, const uint8_t *src, size_t n,
                             bool is_opaque, const imgc_light_tables *light);
// Converts sums of n pixels in linear light to RGBA8.
void imgc_light_store_row(uint8_t *dst, const int32_t *sums, size_t n,
                          const imgc_light_tables *light);

#endif
