// PNG colour chunks, profile and EXIF block.

#ifndef IMGC_PNG_METADATA_H
#define IMGC_PNG_METADATA_H

#include "png/png_chunks.h"

// Collects metadata of the visited chunks into the header.
typedef struct imgc_png_metadata {
  const imgc_request *request;
  imgc_header *header;
  imgc_report *report;
  uint32_t chunks;        // number of visited chunks, for max_chunks
  const uint8_t *profile; // the zlib stream of the first valid iCCP
  size_t profile_size;    // bytes of the stream
  bool has_seen_profile;
} imgc_png_metadata;

void imgc_png_read_metadata(void *metadata, const imgc_png_chunk *chunk, bool after_palette);

// Inflates the first `size` bytes of the profile; returns false when the stream has fewer. Both
// sizes must be below 2^32.
bool imgc_png_inflate(const uint8_t *stream, size_t stream_size, uint8_t *out, size_t size);

#endif
