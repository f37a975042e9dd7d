// An image, or a frame of an animation, that is drawn.

#ifndef IMGC_PNG_PICTURE_H
#define IMGC_PNG_PICTURE_H

#include "core/dest.h"
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

#endif
