// Resampling in linear light: tables and row conversions.

#include "resample/resample_kernels.h"

#include <math.h>

static double light_of(double v) {
  return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

void imgc_light_fill(imgc_light_tables *light) {
  const double one = IMGC_FINE_ONE;
  int at = 0;
  for (int value = 0; value < 256; value++) {
    light->to[value] = (int16_t)lrint(light_of(value / 255.0) * one);
    // All remaining linear values below the linear equivalent of `value` + 1/2 map to `value`.
    int end = value == 255 ? IMGC_FINE_ONE + 1 : (int)ceil(light_of((value + 0.5) / 255.0) * one);
    for (; at < end; at++) light->from[at] = (uint8_t)value;
  }
}

bool imgc_light_split_planes(int16_t *planes, size_t stride, const uint8_t *src, size_t n,
                             bool is_opaque, const imgc_light_tables *light) {
  uint8_t all = 255;
  for (size_t i = 0; i < n; i++) {
    uint32_t alpha = is_opaque ? 255 : src[i * 4 + 3];
    for (size_t c = 0; c < 3; c++) {
      uint32_t sample = (uint32_t)light->to[src[i * 4 + c]];
      planes[c * stride + i] = (int16_t)(alpha == 255 ? sample : (sample * alpha + 127) / 255);
    }
    planes[3 * stride + i] = (int16_t)(alpha << IMGC_FINE_BITS);
    all &= (uint8_t)alpha;
  }
  return all == 255;
}

// Product and sum are separate statements, so that no compiler contracts them to a fused
// multiply-add.
void imgc_light_store_row(uint8_t *dst, const int32_t *sums, size_t n,
                          const imgc_light_tables *light) {
  for (size_t i = 0; i < n; i++, dst += 4, sums += 4) {
    int32_t alpha = (sums[3] + (1 << (IMGC_SUM_BITS - 1))) >> IMGC_SUM_BITS;
    if (alpha <= 0) {
      dst[0] = dst[1] = dst[2] = dst[3] = 0;
      continue;
    }
    float by = (float)IMGC_FINE_ONE / (float)sums[3];
    for (size_t c = 0; c < 3; c++) {
      float value = (float)sums[c] * by;
      int32_t at = (int32_t)(value + 0.5f);
      dst[c] = light->from[at < 0 ? 0 : at > IMGC_FINE_ONE ? IMGC_FINE_ONE : at];
    }
    dst[3] = (uint8_t)(alpha > 255 ? 255 : alpha);
  }
}
