// PNG's container: the chunk walk, and what it tells before any pixel is decoded.

#ifndef IMGC_PNG_CHUNKS_H
#define IMGC_PNG_CHUNKS_H

#include "CImageCodecs.h"
#include "core/bytes.h"
#include "png/png_format.h"

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
  return !(chunk->type & IMGC_PNG_ANCILLARY);
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

// Samples of a pixel.
uint32_t imgc_png_channels(const imgc_png *png);
// Bytes of a pixel, at least 1: the distance that filters look back.
unsigned imgc_png_pixel_bytes(const imgc_png *png);
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
