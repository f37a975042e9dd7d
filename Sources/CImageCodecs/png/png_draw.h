// Image data to pixels, for the image and for the frames of an animation. There are three ways:
// the whole stream at once (png_fast.h), rows while it is decompressed (png_stream.h), both for
// intact data, and libpng (png_library.h).

#ifndef IMGC_PNG_DRAW_H
#define IMGC_PNG_DRAW_H

#include "png/png_picture.h"

// Memory besides the pixels, by the way that imgc_png_draw will choose.
uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent);

// Checks the memory limit, draws, and clears what the data does not cover. The place may be
// smaller than the picture, which is clipped then.
imgc_status imgc_png_draw(const imgc_png_picture *picture);

#endif
