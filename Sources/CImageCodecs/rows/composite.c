// Porter-Duff composition of rows with straight alpha, in groups of eight pixels.
//
// The weight of a pixel is its alpha times the fraction of it that the operator shows, in units of
// 1 / 65,025: weight = as * fs, with both 0...255. The resulting colour is the mean of both colours
// with these weights; the resulting alpha is the sum of the weights divided by 255.
//
// Results for opacity 1 are rounded exactly: products and sums are integers below 2^24, and a
// quotient below 256 that is not half an integer has a distance of at least 1 / 130,050 from the
// next half. This is more than half of the distance between neighbouring floats, 2^-17, so the
// rounding of the division does not reach the half.

#include "core/copy.h"
#include "core/cpu_features.h"
#include "rows/rows.h"
#include "rows/rows_simd.h"

typedef uint32_t lanes __attribute__((vector_size(32)));
typedef int32_t signed_lanes __attribute__((vector_size(32)));
typedef uint16_t half_lanes __attribute__((vector_size(32)));
typedef float float_lanes __attribute__((vector_size(32)));

// fs = source + source_alpha * ad and fd = dest + dest_alpha * as, in units of 1 / 255.
typedef struct factors {
  float source, source_alpha, dest, dest_alpha;
} factors;

static const factors operator_factors[] = {
    [IMGC_OPERATOR_CLEAR] = {0, 0, 0, 0},
    [IMGC_OPERATOR_SOURCE] = {255, 0, 0, 0},
    [IMGC_OPERATOR_DESTINATION] = {0, 0, 255, 0},
    [IMGC_OPERATOR_SOURCE_OVER] = {255, 0, 255, -1},
    [IMGC_OPERATOR_DESTINATION_OVER] = {255, -1, 255, 0},
    [IMGC_OPERATOR_SOURCE_IN] = {0, 1, 0, 0},
    [IMGC_OPERATOR_DESTINATION_IN] = {0, 0, 0, 1},
    [IMGC_OPERATOR_SOURCE_OUT] = {255, -1, 0, 0},
    [IMGC_OPERATOR_DESTINATION_OUT] = {0, 0, 255, -1},
    [IMGC_OPERATOR_SOURCE_ATOP] = {0, 1, 255, -1},
    [IMGC_OPERATOR_DESTINATION_ATOP] = {255, -1, 0, 1},
    [IMGC_OPERATOR_XOR] = {255, -1, 255, -1},
};

#define TARGET
#define NAMED(kernel) plain_##kernel
#include "rows/composite_lanes.h"
#undef TARGET
#undef NAMED

#ifdef IMGC_HAVE_AVX2
#define TARGET __attribute__((target("avx2")))
#define NAMED(kernel) avx2_##kernel
#include "rows/composite_lanes.h"
#endif

void imgc_row_composite(uint8_t *dst, const uint8_t *src, size_t n, imgc_operator operation,
                        float opacity) {
  if (operation == IMGC_OPERATOR_SOURCE_OVER && opacity == 1) {
    imgc_row_over(dst, src, n);
    return;
  }
  const factors f = operator_factors[operation];
  void (*composite)(uint8_t *, const uint8_t *, size_t, factors, float) = plain_composite;
#ifdef IMGC_HAVE_AVX2
  if (IMGC_CPU_HAS_AVX2) composite = avx2_composite;
#endif
  const size_t whole = n & ~(size_t)7;
  composite(dst, src, whole, f, opacity);
  if (whole == n) return;
  // A copy of the remaining pixels, extended to eight.
  uint8_t dst_rest[32] = {0}, src_rest[32] = {0};
  for (size_t i = whole * 4; i < n * 4; i++) {
    dst_rest[i - whole * 4] = dst[i];
    src_rest[i - whole * 4] = src[i];
  }
  composite(dst_rest, src_rest, 8, f, opacity);
  for (size_t i = whole * 4; i < n * 4; i++) dst[i] = dst_rest[i - whole * 4];
}

// The same as composite for one operator, in integers.
void imgc_plain_over(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i++, dst += 4, src += 4) {
    uint32_t as = src[3], ad = dst[3];
    if (as == 0) continue;
    if (as == 255 || ad == 0) {
      imgc_copy(dst, src, 4);
      continue;
    }
    uint32_t src_weight = as * 255, dst_weight = ad * (255 - as),
             weight_sum = src_weight + dst_weight;
    for (int k = 0; k < 3; k++)
      dst[k] = (uint8_t)((src[k] * src_weight + dst[k] * dst_weight + weight_sum / 2) / weight_sum);
    dst[3] = (uint8_t)((weight_sum + 127) / 255);
  }
}

void imgc_row_over(uint8_t *dst, const uint8_t *src, size_t n) {
  const size_t whole = n & ~(size_t)7;
#ifdef IMGC_HAVE_AVX2
  if (IMGC_CPU_HAS_AVX2)
    avx2_over(dst, src, whole);
  else
#endif
    plain_over(dst, src, whole);
  imgc_plain_over(dst + whole * 4, src + whole * 4, n - whole);
}
