// Decoding of image data to pixels, for the image and for animation frames. There are three
// decoders. For intact data: decompression in one call (png_fast.h), and conversion of rows during
// the decompression (png_stream.h). In all other cases: libpng (png_library.h).

#ifndef IMGC_PNG_DRAW_H
#define IMGC_PNG_DRAW_H

#include "png/png_image.h"

// Returns the maximum number of bytes of memory that imgc_png_draw needs, without the pixels.
uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent);

// Checks the memory limit, decodes, and clears pixels without data unless the image is blended. The
// destination may be smaller than the image; the image is then clipped.
imgc_status imgc_png_draw(const imgc_png_image *image);

#endif
