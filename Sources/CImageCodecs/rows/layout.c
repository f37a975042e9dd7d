// Conversion between RGBA8 and the layouts of other programs, row by row.

#include "rows/rows.h"

#include <stdbool.h>
#include <string.h>

static size_t pixel_size(imgc_layout layout) {
  switch (layout) {
  case IMGC_LAYOUT_GRAY: return 1;
  case IMGC_LAYOUT_GRAY_ALPHA: return 2;
  case IMGC_LAYOUT_RGB:
  case IMGC_LAYOUT_BGR: return 3;
  default: return 4;
  }
}

// Two conversions of one row are applied to parts of this size, so that the part is in the L1 cache
// for the second one.
enum { PART = 1024 };

static void premultiply_bgra(uint8_t *dst, const uint8_t *src, size_t n) {
  for (size_t i = 0; i < n; i += PART) {
    size_t count = n - i < PART ? n - i : PART;
    imgc_row_premultiply(dst + i * 4, src + i * 4, count);
    imgc_row_bgra8(dst + i * 4, dst + i * 4, count);
  }
}

static void unpremultiply(uint8_t *dst, const uint8_t *src, size_t n, bool swaps) {
  for (size_t i = 0; i < n; i += PART) {
    size_t count = n - i < PART ? n - i : PART;
    if (swaps)
      imgc_row_bgra8(dst + i * 4, src + i * 4, count);
    else
      memcpy(dst + i * 4, src + i * 4, count * 4);
    imgc_row_unpremultiply(dst + i * 4, count);
  }
}

static void export_row(uint8_t *dst, const uint8_t *src, size_t n, imgc_layout layout) {
  switch (layout) {
  case IMGC_LAYOUT_BGRA: imgc_row_bgra8(dst, src, n); return;
  case IMGC_LAYOUT_RGBA_PREMULTIPLIED: imgc_row_premultiply(dst, src, n); return;
  case IMGC_LAYOUT_BGRA_PREMULTIPLIED: premultiply_bgra(dst, src, n); return;
  case IMGC_LAYOUT_RGB: imgc_row_to_rgb8(dst, src, n); return;
  case IMGC_LAYOUT_BGR: imgc_row_to_bgr8(dst, src, n); return;
  case IMGC_LAYOUT_GRAY: imgc_row_to_gray8(dst, src, n); return;
  case IMGC_LAYOUT_GRAY_ALPHA: imgc_row_to_gray_alpha8(dst, src, n); return;
  case IMGC_LAYOUT_RGBA:
    if (dst != src) memcpy(dst, src, n * 4);
  }
}

static void import_row(uint8_t *dst, const uint8_t *src, size_t n, imgc_layout layout) {
  switch (layout) {
  case IMGC_LAYOUT_BGRA: imgc_row_bgra8(dst, src, n); return;
  case IMGC_LAYOUT_RGBA_PREMULTIPLIED: unpremultiply(dst, src, n, false); return;
  case IMGC_LAYOUT_BGRA_PREMULTIPLIED: unpremultiply(dst, src, n, true); return;
  case IMGC_LAYOUT_RGB: imgc_row_rgb8(dst, src, n); return;
  case IMGC_LAYOUT_BGR: imgc_row_bgr8(dst, src, n); return;
  case IMGC_LAYOUT_GRAY: imgc_row_gray8(dst, src, n); return;
  case IMGC_LAYOUT_GRAY_ALPHA: imgc_row_gray_alpha8(dst, src, n); return;
  case IMGC_LAYOUT_RGBA: memcpy(dst, src, n * 4);
  }
}

void imgc_layout_export(uint8_t *dst, size_t dst_stride, const uint8_t *src, size_t src_stride,
                        size_t width, size_t height, imgc_layout layout) {
  if (dst_stride == width * pixel_size(layout) && src_stride == width * 4)
    width *= height, height = 1; // no padding: one long row, because many images are narrow
  for (size_t y = 0; y < height; y++)
    export_row(dst + y * dst_stride, src + y * src_stride, width, layout);
}

void imgc_layout_import(uint8_t *dst, const uint8_t *src, size_t src_stride, size_t width,
                        size_t height, imgc_layout layout) {
  size_t dst_stride = width * 4;
  if (src_stride == width * pixel_size(layout)) width *= height, height = 1;
  for (size_t y = 0; y < height; y++)
    import_row(dst + y * dst_stride, src + y * src_stride, width, layout);
}
