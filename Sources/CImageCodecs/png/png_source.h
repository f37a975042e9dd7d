// Location of compressed image data: consecutive IDAT chunks, or the fdAT chunks of a frame.

#ifndef IMGC_PNG_SOURCE_H
#define IMGC_PNG_SOURCE_H

#include "core/bytes.h"
#include "png/png_chunks.h"

typedef struct imgc_png_source {
  imgc_reader reader; // its position is the start of the next chunk
  uint32_t type;      // IMGC_PNG_IDAT or IMGC_PNG_fdAT
  uint32_t sequence;  // fdAT: the next expected sequence number
  bool truncated;     // the file ended before the last chunk was complete
} imgc_png_source;

typedef struct imgc_png_segment {
  const uint8_t *data;
  size_t size;         // bytes of compressed data, may be 0
  bool crc_is_checked; // the chunk is complete and was checked
  bool crc_matches;
} imgc_png_segment;

imgc_png_source imgc_png_source_at(const imgc_request *request, size_t offset, uint32_t type,
                                   uint32_t sequence);

// Sets `segment` to the data of the next chunk. Returns false after the last chunk; `truncated` is
// then true when bytes are missing. A wrong sequence number of an fdAT chunk also ends the data.
bool imgc_png_source_next(imgc_png_source *source, imgc_png_segment *segment, bool check_crc);

// Checks the first two bytes of a stream by RFC 1950, 2.2: deflate, window up to 32 KiB, no preset
// dictionary, correct check value.
static inline bool imgc_png_is_zlib(const uint8_t bytes[2]) {
  enum { DEFLATE = 8, MAX_WINDOW_BITS = 7, PRESET_DICTIONARY = 0x20, CHECK = 31 };
  return (bytes[0] & 15) == DEFLATE && bytes[0] >> 4 <= MAX_WINDOW_BITS &&
         !(bytes[1] & PRESET_DICTIONARY) && imgc_be16(bytes) % CHECK == 0;
}

typedef struct imgc_png_extent {
  uint64_t bytes;    // bytes of compressed data
  uint64_t segments; // non-empty segments
  bool truncated;
  bool damaged; // a verified checksum is wrong
} imgc_png_extent;

// Measures the compressed data from the position of `source` on. The position of the caller's
// source does not change, because `source` is a copy.
imgc_status imgc_png_measure(const imgc_request *request, imgc_png_source source, bool check_crc,
                             imgc_png_extent *extent, imgc_report *report);

#endif
