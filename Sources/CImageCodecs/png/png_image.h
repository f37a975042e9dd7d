// An image, or an animation frame, to be decoded.

#ifndef IMGC_PNG_IMAGE_H
#define IMGC_PNG_IMAGE_H

#include "core/dest.h"
#include "png/png_source.h"

typedef struct imgc_png_image {
  const imgc_request *request;
  imgc_report *report;
  const imgc_png *png; // its width and height are those of the frame
  imgc_png_source source;
  imgc_png_extent extent;
  const imgc_dest *dest;
  bool blend_over; // blend onto the destination instead of replacing it
} imgc_png_image;

// Returns the number of rows in the band buffer. For an interlaced image this is the height,
// because rows are complete only at the end of the data.
static inline uint32_t imgc_png_band_rows(const imgc_png *png) {
  return png->interlaced ? png->height : 1;
}

#endif
