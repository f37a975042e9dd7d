// Intact image data, decompressed at once.

#ifndef IMGC_PNG_FAST_H
#define IMGC_PNG_FAST_H

#include "png/png_picture.h"

bool imgc_png_fast_takes(const imgc_png *png, const imgc_png_extent *extent);
uint64_t imgc_png_fast_bytes(const imgc_png *png, const imgc_png_extent *extent);
// `*done` is false when libpng has to draw.
imgc_status imgc_png_draw_fast(const imgc_png_picture *picture, bool *done);

#endif
