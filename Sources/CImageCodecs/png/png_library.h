// Decoding of image data with libpng, including damaged data.

#ifndef IMGC_PNG_LIBRARY_H
#define IMGC_PNG_LIBRARY_H

#include "png/png_image.h"

uint64_t imgc_png_library_bytes(const imgc_png *png);
imgc_status imgc_png_draw_library(const imgc_png_image *image);
const char *imgc_png_library_version(void);

#endif
