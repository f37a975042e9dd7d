// Conversion of samples of any depth and format to 8 bits, row by row.

#ifndef IMGC_TIFF_SAMPLES_H
#define IMGC_TIFF_SAMPLES_H

#include "core/copy.h"
#include "tiff/page/tiff_properties.h"

// Converts `count` samples, packed as in a TIFF row and in native byte order, to 8 bits each. src
// may be unaligned. format is SAMPLEFORMAT_UINT, _INT or _IEEEFP.
void tiff_reduce(uint8_t *dst, const uint8_t *src, size_t count, unsigned bits, unsigned format);
// Unpacks palette indices of at most 16 bits without scaling.
void tiff_indices(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits);

// Returns a native-endian word at any address.
static inline uint16_t tiff_load16(const uint8_t *p) {
  uint16_t v;
  imgc_copy(&v, p, sizeof v);
  return v;
}

// Returns the address of the upper 16 bits of a native-endian sample of `size` bytes, at least 2.
static inline const uint8_t *tiff_top_word(const uint8_t *sample, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  (void)size;
  return sample;
#else
  return sample + size - 2;
#endif
}

// Bit reader for samples of any depth, most significant bit first.
typedef struct tiff_bits {
  const uint8_t *next;
  uint64_t bits; // the lowest `held` bits are valid
  unsigned held;
} tiff_bits;

static inline uint32_t tiff_read_bits(tiff_bits *r, unsigned bits) {
  while (r->held < bits) r->bits = r->bits << 8 | *r->next++, r->held += 8;
  r->held -= bits;
  return (uint32_t)(r->bits >> r->held & ((UINT64_C(1) << bits) - 1));
}

// Returns float number i of a row; bits is 16, 24, 32 or 64.
double tiff_float(const uint8_t *src, size_t i, unsigned bits);

#endif
