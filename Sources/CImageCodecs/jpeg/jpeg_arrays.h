// The coefficients of progressive images, in memory of the caller's choice.

#ifndef IMGC_JPEG_ARRAYS_H
#define IMGC_JPEG_ARRAYS_H

#include "jpeg/jpeg_state.h"

// After jpeg_create_decompress: coefficients go into arrays of ours.
void imgc_jpeg_own_arrays(jpeg_state *s);
void imgc_jpeg_free_arrays(jpeg_state *s);

#endif
