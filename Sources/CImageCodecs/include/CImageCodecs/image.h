// Images in the caller's memory that are encoded or measured.

#ifndef CIMAGECODECS_IMAGE_H
#define CIMAGECODECS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pixels to encode: RGBA8, straight alpha, top row first.
typedef struct imgc_image {
  const void *pixels;
  size_t size;   // bytes at `pixels`, at least stride * (height - 1) + width * 4
  size_t stride; // bytes from row to row, at least width * 4
  uint32_t width;
  uint32_t height;
} imgc_image;

// The bounding box of the pixels that differ between two images of equal size; 0 x 0 when the
// images are equal.
typedef struct imgc_rect {
  uint32_t x, y, width, height;
} imgc_rect;
imgc_rect imgc_changed_rect(const imgc_image *before, const imgc_image *after);

// Divides the image into columns x rows cells and writes, for each cell in row order, the sums of
// the linear red, green and blue values (0...1) of its pixels. Pixels are composited over a
// background of the given sRGB samples. In each direction cell i of n starts at pixel i * size / n.
// `columns` is 1 up to the image's width, `rows` 1 up to its height.
void imgc_light_grid(const imgc_image *image, uint8_t red, uint8_t green, uint8_t blue,
                     uint32_t columns, uint32_t rows, double *sums);

#ifdef __cplusplus
}
#endif
#endif
