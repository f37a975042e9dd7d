// The window that a compressed strip asks its decoder to hold, from the headers of the strip.

#ifndef IMGC_TIFF_WINDOW_H
#define IMGC_TIFF_WINDOW_H

#include "tiff/page/tiff_facts.h"

// Bytes of dictionary or window that libtiff's decoder of LZMA or Zstandard allocates for `data`.
// It does so before the first byte is decoded, and has no limit for LZMA. 0 for other codecs and
// for headers that the decoder refuses.
uint64_t tiff_window_bytes(const tiff_facts *facts, const uint8_t *data, uint64_t size);

#endif
