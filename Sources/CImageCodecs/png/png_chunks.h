// PNG's container: the chunk walk, and what it tells before any pixel is decoded.

#ifndef IMGC_PNG_CHUNKS_H
#define IMGC_PNG_CHUNKS_H

#include "CImageCodecs.h"
#include "core/bytes.h"

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

enum { IMGC_PNG_SIGNATURE_SIZE = 8, IMGC_PNG_FRAME_CONTROL_SIZE = 26 };

typedef enum imgc_png_step {
  IMGC_PNG_WHOLE, // payload and checksum are there
  IMGC_PNG_CUT,   // the data ends inside the chunk, or before it (`type` is 0 then)
  IMGC_PNG_BAD,   // no chunk stands here: the length or the name is impossible
} imgc_png_step;

typedef struct imgc_png_chunk {
  uint32_t type;
  uint32_t length;     // as claimed, below 2^31
  const uint8_t *data; // the payload
  size_t available;    // bytes of it that exist, at most `length`
  size_t offset;       // of the chunk in the file
} imgc_png_chunk;

// Reads a chunk and moves behind it; stays put when no chunk stands there.
imgc_png_step imgc_png_next(imgc_reader *reader, imgc_png_chunk *chunk);

// The chunk must be whole.
bool imgc_png_crc_is_right(const imgc_png_chunk *chunk);
static inline bool imgc_png_is_critical(const imgc_png_chunk *chunk) {
  return !(chunk->type >> 24 & 0x20);
}

// What stands before the pixels. Pointers lead into the request's data.
typedef struct imgc_png {
  uint32_t width, height; // of the picture, or of a frame
  uint8_t bit_depth, color_type;
  bool interlaced;
  const uint8_t *palette; // red, green, blue; NULL for none
  uint32_t palette_size;  // entries, at most 256
  const uint8_t *transparency;
  uint32_t transparency_size; // bytes, right for the colour type
  bool animated;              // a usable acTL
  uint32_t frame_count, loop_count;
  size_t idat_offset; // of the first IDAT chunk
} imgc_png;

uint32_t imgc_png_channels(const imgc_png *png);
// Bytes of a stored row of `width` pixels, without its filter byte.
uint64_t imgc_png_row_bytes(const imgc_png *png, uint32_t width);

// How much of the preamble is looked at.
typedef enum imgc_png_depth {
  IMGC_PNG_PIXELS_ONLY, // what pixels need, no other checksums: for the frames of an animation
  IMGC_PNG_ALL_CHECKSUMS,
} imgc_png_depth;

// Walks to the first IDAT, checking what pixels depend on as libpng would.
// `visit` (may be NULL) sees every whole ancillary chunk with a right checksum.
typedef void imgc_png_visit(void *context, const imgc_png_chunk *chunk, bool after_palette);
imgc_status imgc_png_scan(const imgc_request *request, imgc_png_depth depth, imgc_png *png,
                          imgc_png_visit *visit, void *context, imgc_report *report);

#endif
