// Decoding of image data to pixels, for the image and for animation frames. There are three
// decoders: the whole stream at once (png_fast.h) and row by row during decompression
// (png_stream.h), both for intact data, and libpng (png_library.h).

#ifndef IMGC_PNG_DRAW_H
#define IMGC_PNG_DRAW_H

#include "png/png_image.h"

// Returns the memory without the pixels, for the decoder that imgc_png_draw selects.
uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent);

// Checks the memory limit, decodes, and clears pixels without data. The destination may be smaller
// than the image, which is then clipped.
imgc_status imgc_png_draw(const imgc_png_image *image);

#endif
