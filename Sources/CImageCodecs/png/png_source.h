// Where compressed image data lies: a run of IDAT chunks, or the fdAT chunks of a frame.

#ifndef IMGC_PNG_SOURCE_H
#define IMGC_PNG_SOURCE_H

#include "core/bytes.h"
#include "png/png_chunks.h"

typedef struct imgc_png_source {
  imgc_reader reader; // before the next chunk
  uint32_t type;      // IMGC_PNG_IDAT or IMGC_PNG_fdAT
  uint32_t sequence;  // fdAT: the number expected next
  bool cut;           // the data ended inside the run
} imgc_png_source;

typedef struct imgc_png_segment {
  const uint8_t *data;
  size_t size;         // bytes of compressed data, may be 0
  bool crc_is_checked; // the chunk is whole
  bool crc_is_right;
} imgc_png_segment;

imgc_png_source imgc_png_source_at(const imgc_request *request, size_t offset, uint32_t type,
                                   uint32_t sequence);

// The next piece of the run; false behind the last, and `cut` says whether bytes were missing.
// For fdAT a wrong sequence number ends the run as well.
bool imgc_png_source_next(imgc_png_source *source, imgc_png_segment *segment, bool check_crc);

// RFC 1950, 2.2, of the first two bytes of a stream: deflate, no preset dictionary, a right check
// value, a window up to 32 KiB.
static inline bool imgc_png_is_zlib(const uint8_t bytes[2]) {
  enum { DEFLATE = 8, MOST_WINDOW_BITS = 7, PRESET_DICTIONARY = 0x20, CHECK = 31 };
  return (bytes[0] & 15) == DEFLATE && bytes[0] >> 4 <= MOST_WINDOW_BITS &&
         !(bytes[1] & PRESET_DICTIONARY) && imgc_be16(bytes) % CHECK == 0;
}

typedef struct imgc_png_extent {
  uint64_t bytes;    // of compressed data
  uint64_t segments; // that are not empty
  bool cut;
  bool damaged; // a checksum was looked at and is wrong
} imgc_png_extent;

// Walks a copy of the source.
imgc_status imgc_png_measure(const imgc_request *request, imgc_png_source source, bool check_crc,
                             imgc_png_extent *extent, imgc_report *report);

#endif
