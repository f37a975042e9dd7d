// Decoding of intact image data: rows are converted during the decompression.

#ifndef IMGC_PNG_STREAM_H
#define IMGC_PNG_STREAM_H

#include "png/png_image.h"

uint64_t imgc_png_streaming_bytes(const imgc_png *png);
// Draws a non-interlaced image without blending. `*done` is false when libpng has to decode it
// instead. The band buffer may have pushed some rows by then; these rows are correct, and
// imgc_png_rows_convert skips them.
imgc_status imgc_png_draw_streaming(const imgc_png_image *image, bool *done);
// Decompresses the image data and charges the work of the tables of its blocks, which the size of
// the data does not show. Drawing charges other work.
imgc_status imgc_png_charge_blocks(const imgc_png_image *image);

#endif
