// Intact image data, drawn while it is decompressed.

#ifndef IMGC_PNG_STREAM_H
#define IMGC_PNG_STREAM_H

#include "png/png_picture.h"

uint64_t imgc_png_streamed_bytes(const imgc_png *png);
// Not of an interlaced image, and not over what the place holds. `*done` is false when libpng has
// to draw. Some rows may be in a sink's resamplers then; they are right, and imgc_png_rows_put
// leaves them out.
imgc_status imgc_png_draw_streamed(const imgc_png_picture *picture, bool *done);

#endif
