// Constants of the PNG specification (third edition), for the decoder and the encoder.

#ifndef IMGC_PNG_FORMAT_H
#define IMGC_PNG_FORMAT_H

#include <stdint.h>

// Section 5.2.
#define IMGC_PNG_SIGNATURE "\x89PNG\r\n\x1a\n"
enum { IMGC_PNG_SIGNATURE_SIZE = 8 };

// Section 5.3: length, type and CRC, besides the data.
enum { IMGC_PNG_CHUNK_OVERHEAD = 12 };

#define IMGC_PNG_TYPE(a, b, c, d)                                                                  \
  ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum {
  IMGC_PNG_IHDR = IMGC_PNG_TYPE('I', 'H', 'D', 'R'),
  IMGC_PNG_PLTE = IMGC_PNG_TYPE('P', 'L', 'T', 'E'),
  IMGC_PNG_IDAT = IMGC_PNG_TYPE('I', 'D', 'A', 'T'),
  IMGC_PNG_IEND = IMGC_PNG_TYPE('I', 'E', 'N', 'D'),
  IMGC_PNG_tRNS = IMGC_PNG_TYPE('t', 'R', 'N', 'S'),
  IMGC_PNG_acTL = IMGC_PNG_TYPE('a', 'c', 'T', 'L'),
  IMGC_PNG_fcTL = IMGC_PNG_TYPE('f', 'c', 'T', 'L'),
  IMGC_PNG_fdAT = IMGC_PNG_TYPE('f', 'd', 'A', 'T'),
  IMGC_PNG_gAMA = IMGC_PNG_TYPE('g', 'A', 'M', 'A'),
  IMGC_PNG_cHRM = IMGC_PNG_TYPE('c', 'H', 'R', 'M'),
  IMGC_PNG_sRGB = IMGC_PNG_TYPE('s', 'R', 'G', 'B'),
  IMGC_PNG_iCCP = IMGC_PNG_TYPE('i', 'C', 'C', 'P'),
  IMGC_PNG_cICP = IMGC_PNG_TYPE('c', 'I', 'C', 'P'),
  IMGC_PNG_eXIf = IMGC_PNG_TYPE('e', 'X', 'I', 'f'),
};

// Bit 5 of the first byte of a chunk's type (section 5.4).
enum { IMGC_PNG_ANCILLARY = 0x20 << 24 };

// Sizes of chunk data, in bytes.
enum {
  IMGC_PNG_IHDR_SIZE = 13,
  IMGC_PNG_PLTE_MAX_SIZE = 256 * 3,
  IMGC_PNG_tRNS_MAX_SIZE = 256,
  IMGC_PNG_gAMA_SIZE = 4,
  IMGC_PNG_cHRM_SIZE = 32,
  IMGC_PNG_sRGB_SIZE = 1,
  IMGC_PNG_cICP_SIZE = 4,
  IMGC_PNG_acTL_SIZE = 8,
  IMGC_PNG_fcTL_SIZE = 26,
  IMGC_PNG_FDAT_SEQUENCE_SIZE = 4,
  IMGC_PNG_ICCP_NAME_MAX_SIZE = 80, // the terminating zero included
};

// Colour types (table 11.1): sums of palette 1, colour 2 and alpha 4.
enum {
  IMGC_PNG_COLOR_GRAY = 0,
  IMGC_PNG_COLOR_RGB = 2,
  IMGC_PNG_COLOR_INDEXED = 3,
  IMGC_PNG_COLOR_GRAY_ALPHA = 4,
  IMGC_PNG_COLOR_RGBA = 6,
  IMGC_PNG_COLOR_TYPES = 7,

  IMGC_PNG_COLOR_USES_COLOR = 2,
  IMGC_PNG_COLOR_USES_ALPHA = 4,
};

// Returns the samples per pixel of a colour type, which must be below 7; 0 for undefined types.
static inline unsigned imgc_png_channels_of(unsigned color_type) {
  static const uint8_t channels[IMGC_PNG_COLOR_TYPES] = {
      [IMGC_PNG_COLOR_GRAY] = 1,       [IMGC_PNG_COLOR_RGB] = 3,  [IMGC_PNG_COLOR_INDEXED] = 1,
      [IMGC_PNG_COLOR_GRAY_ALPHA] = 2, [IMGC_PNG_COLOR_RGBA] = 4,
  };
  return channels[color_type];
}

// IHDR (section 11.2.1).
enum { IMGC_PNG_COMPRESSION_DEFLATE = 0, IMGC_PNG_FILTER_METHOD_ADAPTIVE = 0 };
enum { IMGC_PNG_INTERLACE_NONE = 0, IMGC_PNG_INTERLACE_ADAM7 = 1, IMGC_PNG_ADAM7_PASSES = 7 };

// fcTL (section 11.3.6.2).
enum { IMGC_PNG_DISPOSE_NONE = 0, IMGC_PNG_DISPOSE_BACKGROUND = 1, IMGC_PNG_DISPOSE_PREVIOUS = 2 };
enum { IMGC_PNG_BLEND_SOURCE = 0, IMGC_PNG_BLEND_OVER = 1 };

// sRGB (section 11.3.2.5): rendering intents 0 to 3.
enum { IMGC_PNG_INTENT_PERCEPTUAL = 0, IMGC_PNG_INTENTS = 4 };

#endif
