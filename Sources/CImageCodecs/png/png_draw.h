// Image data to pixels, for the picture and for the frames of an animation.

#ifndef IMGC_PNG_DRAW_H
#define IMGC_PNG_DRAW_H

#include "png/png_source.h"

typedef struct imgc_png_picture {
  const imgc_request *request;
  imgc_report *report;
  const imgc_png *png; // with the size of the frame
  imgc_png_source source;
  imgc_png_extent extent;
  const imgc_place *place;
  bool over; // draw over what the place holds
} imgc_png_picture;

// Rows that are written before they may go on into a resampler: interlaced pictures come complete
// only at their end.
static inline uint32_t imgc_png_band_rows(const imgc_png *png) {
  return png->interlaced ? png->height : 1;
}

// Memory besides the pixels, by the way that imgc_png_draw will choose.
uint64_t imgc_png_work_bytes(const imgc_request *request, const imgc_png *png,
                             const imgc_png_extent *extent);

// Checks the memory limit, draws, and clears what the data does not cover. The place may be
// smaller than the picture, which is clipped then.
imgc_status imgc_png_draw(const imgc_png_picture *picture);

// The three ways. The first two, the whole stream at once and rows while it is decompressed, are
// for intact data: `*done` is false when libpng has to draw. Some rows may be in a sink's
// resamplers then; they are right, and imgc_png_rows_put leaves them out.
bool imgc_png_fast_takes(const imgc_png *png, const imgc_png_extent *extent);
uint64_t imgc_png_fast_bytes(const imgc_png *png, const imgc_png_extent *extent);
imgc_status imgc_png_draw_fast(const imgc_png_picture *picture, bool *done);
uint64_t imgc_png_streamed_bytes(const imgc_png *png);
// Not of an interlaced picture, and not over what the place holds.
imgc_status imgc_png_draw_streamed(const imgc_png_picture *picture, bool *done);
uint64_t imgc_png_library_bytes(const imgc_png *png);
imgc_status imgc_png_draw_library(const imgc_png_picture *picture);
const char *imgc_png_library_version(void);

#endif
