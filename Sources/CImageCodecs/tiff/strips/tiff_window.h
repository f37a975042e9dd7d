// Window size that a compressed strip requires of its decoder, from the strip's headers.

#ifndef IMGC_TIFF_WINDOW_H
#define IMGC_TIFF_WINDOW_H

#include "tiff/page/tiff_properties.h"

// Returns the bytes of dictionary or window that libtiff's decoder of LZMA or Zstandard allocates
// for `data`. It allocates them before it decodes the first byte, without a limit for LZMA. 0 for
// other codecs and for headers that the decoder rejects.
uint64_t tiff_window_bytes(const tiff_properties *properties, const uint8_t *data, uint64_t size);

#endif
