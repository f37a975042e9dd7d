// State of the converter: created by tiff_tables.c, used by tiff_convert.c.

#ifndef IMGC_TIFF_CONVERTER_H
#define IMGC_TIFF_CONVERTER_H

#include "color/color.h"
#include "tiff/page/tiff_properties.h"

typedef struct tiff_converter {
  const tiff_properties *properties;
  const imgc_transform *cmyk;
  TIFFYCbCrToRGB *ycbcr;
  imgc_lab *lab;
  uint32_t *palette; // RGBA8 in memory order; 256 entries or 2^bits
  uint8_t *fixed;    // a row in native byte order and bit order
  uint8_t *wide;     // a row of all 8-bit samples, or of 16-bit indices
  uint8_t *narrow;   // a row of 8-bit colours and alpha, interleaved
  uint16_t *deep;    // a row of all 16-bit samples, then of 16-bit colours and alpha, interleaved
  float *floats;     // a row of L*a*b*
} tiff_converter;

// Returns true for rows that imgc_row_index_packed supports.
static inline bool tiff_is_packed(const tiff_properties *f) {
  return !f->separate && f->samples == 1 && (f->bits == 1 || f->bits == 2 || f->bits == 4);
}

// Returns the four bytes of an opaque pixel as one word.
static inline uint32_t tiff_pixel(uint32_t r, uint32_t g, uint32_t b) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return r << 24 | g << 16 | b << 8 | 255;
#else
  return r | g << 8 | b << 16 | 0xFF000000;
#endif
}

#endif
