// Decoding of intact image data that is decompressed in one call.

#ifndef IMGC_PNG_FAST_H
#define IMGC_PNG_FAST_H

#include "png/png_image.h"

bool imgc_png_fast_supports(const imgc_png *png, const imgc_png_extent *extent);
uint64_t imgc_png_fast_bytes(const imgc_png *png, const imgc_png_extent *extent);
// Draws the image; `*done` is false when libpng has to decode it instead.
imgc_status imgc_png_draw_fast(const imgc_png_image *image, bool *done);

#endif
