// Reads numbers of a TIFF file in its byte order. Callers check that they are inside of the file.

#ifndef IMGC_TIFF_BYTES_H
#define IMGC_TIFF_BYTES_H

#include "tiff/page/tiff_ifd.h"

static inline uint64_t tiff_number(const tiff_input *in, uint64_t offset, unsigned bytes) {
  const uint8_t *p = in->data + offset;
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value = value << 8 | p[in->big_endian ? i : bytes - 1 - i];
  return value;
}

static inline bool tiff_inside(const tiff_input *in, uint64_t offset, uint64_t bytes) {
  return offset <= in->size && bytes <= in->size - offset;
}

// Bytes of the number of entries, of an entry, and of an offset or a count of values.
static inline unsigned tiff_count_bytes(const tiff_input *in) { return in->big ? 8 : 2; }
static inline unsigned tiff_entry_bytes(const tiff_input *in) { return in->big ? 20 : 12; }
static inline unsigned tiff_offset_bytes(const tiff_input *in) { return in->big ? 8 : 4; }

#endif
