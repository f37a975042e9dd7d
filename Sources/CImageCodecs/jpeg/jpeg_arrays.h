// The coefficients of progressive images, in memory of the request's allocator.

#ifndef IMGC_JPEG_ARRAYS_H
#define IMGC_JPEG_ARRAYS_H

#include "jpeg/jpeg_state.h"

// Replaces libjpeg's functions for virtual arrays of blocks. Call it after jpeg_create_decompress.
void imgc_jpeg_install_arrays(jpeg_state *s);
void imgc_jpeg_free_arrays(jpeg_state *s);

#endif
