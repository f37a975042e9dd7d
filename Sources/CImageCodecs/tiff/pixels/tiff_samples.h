// Samples of any depth and kind to 8 bits, a row at a time.

#ifndef IMGC_TIFF_SAMPLES_H
#define IMGC_TIFF_SAMPLES_H

#include "core/copy.h"
#include "tiff/page/tiff_facts.h"

// `count` samples, packed as in a row of TIFF and in the machine's byte order, to 8 bits each.
// src need not be aligned. format is SAMPLEFORMAT_UINT, _INT or _IEEEFP.
void tiff_reduce(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits, unsigned format);
// Without scaling, for bits of at most 16: palette indices.
void tiff_indices(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits);

// A word in the machine's order, at any address.
static inline uint16_t tiff_load16(const uint8_t *p) {
  uint16_t v;
  imgc_copy(&v, p, sizeof v);
  return v;
}

// The upper 16 bits of a sample of `size` bytes, at least 2, in the machine's order.
static inline const uint8_t *tiff_top_word(const uint8_t *sample, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  (void)size;
  return sample;
#else
  return sample + size - 2;
#endif
}

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

#endif
