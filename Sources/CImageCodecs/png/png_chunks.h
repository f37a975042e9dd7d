// The PNG container: chunk parser, and the information before the image data.

#ifndef IMGC_PNG_CHUNKS_H
#define IMGC_PNG_CHUNKS_H

#include "CImageCodecs.h"
#include "core/bytes.h"
#include "png/png_format.h"

typedef enum imgc_png_chunk_result {
  IMGC_PNG_COMPLETE,  // payload and checksum are complete
  IMGC_PNG_TRUNCATED, // the data ends inside the chunk, or before it (`type` is 0 then)
  IMGC_PNG_INVALID,   // not a chunk: invalid length or type
} imgc_png_chunk_result;

typedef struct imgc_png_chunk {
  uint32_t type;
  uint32_t length;     // payload length in the chunk header, below 2^31
  const uint8_t *data; // the payload
  size_t available;    // available bytes of the payload, at most `length`
  size_t offset;       // file offset of the chunk
} imgc_png_chunk;

// Reads a chunk and moves past the chunk, or to the end of the file when the chunk is truncated.
// Does not move when the bytes are not a chunk, or when fewer than 8 bytes remain.
imgc_png_chunk_result imgc_png_next(imgc_reader *reader, imgc_png_chunk *chunk);

// Returns true when the checksum matches; the chunk must be complete.
bool imgc_png_crc_matches(const imgc_png_chunk *chunk);
static inline bool imgc_png_is_critical(const imgc_png_chunk *chunk) {
  return !(chunk->type & IMGC_PNG_ANCILLARY);
}

// Information before the image data. Pointers refer to the request's data.
typedef struct imgc_png {
  uint32_t width, height; // size of the image, or of a frame
  uint8_t bit_depth, color_type;
  bool interlaced;
  const uint8_t *palette; // red, green, blue; NULL: none
  uint32_t palette_size;  // entries, at most 256
  const uint8_t *transparency;
  uint32_t transparency_size; // bytes, valid for the colour type
  bool animated;              // acTL is present and valid
  uint32_t frame_count, loop_count;
  size_t idat_offset; // file offset of the first IDAT chunk
} imgc_png;

// Returns the samples per pixel.
uint32_t imgc_png_channels(const imgc_png *png);
// Returns the bytes per pixel, at least 1: in row filters the distance in bytes to the left
// neighbour.
unsigned imgc_png_pixel_bytes(const imgc_png *png);
// Returns the bytes of a stored row of `width` pixels, without its filter byte.
uint64_t imgc_png_row_bytes(const imgc_png *png, uint32_t width);

// Extent of the checks before the first IDAT.
typedef enum imgc_png_check_level {
  IMGC_PNG_PIXELS_ONLY, // only checksums of chunks that pixels depend on: for animation frames
  IMGC_PNG_ALL_CHECKSUMS,
} imgc_png_check_level;

// Parses the file up to the first IDAT chunk and checks critical chunks as libpng does. Calls
// `visit` (may be NULL) for every ancillary chunk except tRNS, acTL, and chunks whose checksum was
// checked and is wrong.
typedef void imgc_png_visit(void *context, const imgc_png_chunk *chunk, bool after_palette);
imgc_status imgc_png_scan(const imgc_request *request, imgc_png_check_level check_level,
                          imgc_png *png, imgc_png_visit *visit, void *context, imgc_report *report);

#endif
