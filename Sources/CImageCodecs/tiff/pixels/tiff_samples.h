// Samples of any depth and kind to RGBA8, a row at a time.

#ifndef IMGC_TIFF_SAMPLES_H
#define IMGC_TIFF_SAMPLES_H

#include "tiff/page/tiff_facts.h"

// `count` samples, packed as in a row of TIFF and in the machine's byte order, to 8 bits each.
// src need not be aligned. format is SAMPLEFORMAT_UINT, _INT or _IEEEFP.
void tiff_reduce(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits, unsigned format);
// The same to 16 bits each.
void tiff_deepen(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits, unsigned format);
// 16-bit pixels of `step` samples to RGBA8: C, M, Y, K and perhaps alpha. Not deep: the
// samples had 8 bits or fewer, and the product is rounded as for CMYK without alpha.
void tiff_deep_cmyk(uint8_t *dst, const uint16_t *src, size_t n, size_t step, bool is_deep);
// Gray or RGB with associated alpha as the last sample.
void tiff_deep_unpremultiply(uint8_t *dst, const uint16_t *src, size_t n, size_t step,
                             bool inverted);
// Without scaling, for bits of at most 16: palette indices.
void tiff_indices(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits);

// Samples of a depth that is no multiple of 8, most significant bit first.
typedef struct tiff_bits {
  const uint8_t *next;
  uint64_t bits; // the lowest `held` count
  unsigned held;
} tiff_bits;

static inline uint32_t tiff_take(tiff_bits *r, unsigned bits) {
  while (r->held < bits) r->bits = r->bits << 8 | *r->next++, r->held += 8;
  r->held -= bits;
  return (uint32_t)(r->bits >> r->held & ((UINT64_C(1) << bits) - 1));
}

// Float number i of a row, of 16, 24, 32 or 64 bits.
double tiff_float(const uint8_t *src, size_t i, unsigned bits);

typedef struct tiff_converter tiff_converter;

// NULL after imgc_fail. The transform of the request, if any, must outlive it.
tiff_converter *tiff_converter_create(const imgc_request *request, tiff_file *file,
                                      const tiff_facts *facts, imgc_report *report);
void tiff_converter_destroy(tiff_converter *converter);

// Converts the first n pixels of row `y` of a tile, whose planes start at `planes`.
void tiff_convert_row(tiff_converter *converter, uint8_t *dst, const uint8_t *const *planes,
                      uint32_t y, uint32_t n);

#endif
