// Window size that the decoder of a compressed strip requires, read from the headers of the strip's
// data.

#ifndef IMGC_TIFF_WINDOW_H
#define IMGC_TIFF_WINDOW_H

#include "tiff/page/tiff_properties.h"

// Returns the bytes of dictionary or window that libtiff's decoder of LZMA or Zstandard allocates
// for `data`. The decoder allocates this memory before it decodes the first byte, for LZMA without
// a limit. Returns 0 for other codecs, and for headers that the decoder rejects.
uint64_t tiff_window_bytes(const tiff_properties *properties, const uint8_t *data, uint64_t size);

#endif
