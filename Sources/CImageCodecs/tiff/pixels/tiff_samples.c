// Reduction of integers of 1 to 64 bits and floats of 16 to 64 bits to 8 bits. Signed integers
// below 32 bits are treated as unsigned, as in libtiff.

#include "tiff/pixels/tiff_samples.h"

#include <string.h>

#include "core/copy.h"
#include "rows/rows.h"

static uint32_t load24(const uint8_t *p) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
#else
  return (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
#endif
}

// Returns an IEEE 754 float of 1 + exponent + mantissa bits, simplified for the conversion to 8
// bits: values of 1 or more and infinity become 2; negative values, NaN and values below 2^-30
// become 0. Exception: with 16 bits, 0 and subnormal numbers become 2^-15 to 2^-14.
static double small_float(uint32_t v, unsigned exponent_bits, unsigned mantissa_bits) {
  uint32_t max = (1u << exponent_bits) - 1, bias = max >> 1;
  uint32_t exponent = v >> mantissa_bits & max;
  uint32_t mantissa = v & ((1u << mantissa_bits) - 1);
  bool negative = v >> (exponent_bits + mantissa_bits) & 1;
  if (negative || exponent + 30 < bias || (exponent == max && mantissa)) return 0;
  if (exponent >= bias) return 2;
  double one = (double)(1u << mantissa_bits);
  return (one + mantissa) / one / (double)(1u << (bias - exponent));
}

double tiff_float(const uint8_t *src, size_t i, unsigned bits) {
  float single;
  double value;
  switch (bits) {
  case 16: return small_float(tiff_load16(src + 2 * i), 5, 10);
  case 24: return small_float(load24(src + 3 * i), 7, 16); // Photoshop TIFF Technical Note 3
  case 32: imgc_copy(&single, src + 4 * i, sizeof single); return single;
  default: imgc_copy(&value, src + 8 * i, sizeof value); return value;
  }
}

// Comparisons with NaN are false, so NaN becomes 0.
static void reduce_float(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits) {
  if (bits == 32) {
    for (size_t i = 0; i < count; i++) {
      float v;
      imgc_copy(&v, src + 4 * i, sizeof v);
      v = v > 0 ? v : 0;
      dst[i] = (uint8_t)((v < 1 ? v : 1) * 255 + 0.5f);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    double v = tiff_float(src, i, bits);
    dst[i] = !(v > 0) ? 0 : v >= 1 ? 255 : (uint8_t)(v * 255 + 0.5);
  }
}

static uint8_t from_top16(uint32_t v) { return (uint8_t)((v * 255 + 32895) >> 16); }

static void reduce_words(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits) {
  size_t step = bits / 8;
  const uint8_t *top = tiff_top_word(src, step);
  for (size_t i = 0; i < count; i++) dst[i] = from_top16(tiff_load16(top + step * i));
}

// libtiff does not define the conversion of signed samples of 32 or 64 bits. Interpreted as
// unsigned values, small negative numbers would be white. So negative values become black and other
// values are scaled, as in Pillow.
static void reduce_signed(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits) {
  size_t step = bits / 8;
  const uint8_t *top = tiff_top_word(src, step);
  for (size_t i = 0; i < count; i++) {
    uint32_t v = tiff_load16(top + step * i);
    dst[i] = v & 0x8000 ? 0 : from_top16(v << 1 | v >> 14);
  }
}

static void reduce_packed(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits) {
  uint64_t max = (UINT64_C(1) << bits) - 1;
  tiff_bits r = {.next = src};
  if (bits <= 8) {
    uint8_t table[256];
    for (uint32_t v = 0; v <= max; v++) table[v] = (uint8_t)((v * 255 + max / 2) / max);
    for (size_t i = 0; i < count; i++) dst[i] = table[tiff_read_bits(&r, bits)];
    return;
  }
  // Division by `max` = 2^bits - 1 by means of shifts and additions, exact for a quotient below 256
  // and `max` below 2^31.
  for (size_t i = 0; i < count; i++) {
    uint64_t v = (uint64_t)tiff_read_bits(&r, bits) * 255 + max / 2;
    uint64_t q = v >> bits;
    dst[i] = (uint8_t)((v + q + 1) >> bits);
  }
}

void tiff_reduce(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits, unsigned format) {
  if (format == SAMPLEFORMAT_IEEEFP) {
    reduce_float(dst, src, count, bits);
    return;
  }
  if (format == SAMPLEFORMAT_INT && bits >= 32) {
    reduce_signed(dst, src, count, bits);
    return;
  }
  switch (bits) {
  case 8: memcpy(dst, src, count); break;
  case 16:
    if ((uintptr_t)src % 2 == 0)
      imgc_row_16_to_8(dst, (const uint16_t *)(const void *)src, count);
    else
      reduce_words(dst, src, count, 16);
    break;
  case 24:
    for (size_t i = 0; i < count; i++)
      dst[i] = (uint8_t)((load24(src + 3 * i) * UINT64_C(255) + 0x7FFFFF) / 0xFFFFFF);
    break;
  case 32:
  case 64: reduce_words(dst, src, count, bits); break;
  default: reduce_packed(dst, src, count, bits); break;
  }
}

void tiff_indices(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits) {
  if (bits == 16) {
    memcpy(dst, src, count * 2);
    return;
  }
  tiff_bits r = {.next = src};
  for (size_t i = 0; i < count; i++) dst[i] = (uint16_t)tiff_read_bits(&r, bits);
}
