// Row kernels for Swift. The caller must pass valid pointers and counts; they are not checked. n is
// a number of pixels unless noted otherwise; dst has n * 4 bytes.

#ifndef CIMAGECODECS_ROWS_H
#define CIMAGECODECS_ROWS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void imgc_row_bgr8(uint8_t *dst, const uint8_t *src, size_t n);  // opaque
void imgc_row_bgrx8(uint8_t *dst, const uint8_t *src, size_t n); // opaque, 4th byte ignored
void imgc_row_bgra8(uint8_t *dst, const uint8_t *src, size_t n); // dst may equal src
void imgc_row_index8(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256]);
// bits = 1, 2 or 4, most significant first; src has (n * bits + 7) / 8 bytes.
void imgc_row_index_packed(uint8_t *dst, const uint8_t *src, size_t n, unsigned bits,
                           const uint32_t palette[256]);
// One bit field of a 16-bit or 32-bit pixel: (pixel >> shift) & max, scaled to 8 bits. If max is 0,
// the value of the field is `none`.
typedef struct imgc_field {
  uint8_t shift;
  uint8_t none;
  uint32_t max;
} imgc_field;
void imgc_row_fields16(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
void imgc_row_fields32(uint8_t *dst, const uint8_t *src, size_t n, const imgc_field fields[4]);
// Premultiplies alpha: t = c * a + 128; c = (t + (t >> 8)) >> 8. dst may equal src.
void imgc_row_premultiply(uint8_t *dst, const uint8_t *src, size_t n);
// Sets RGB to 0 where alpha is 0. dst may equal src.
void imgc_row_clear_transparent(uint8_t *dst, const uint8_t *src, size_t n);

// Pixels in the layouts of other programs: the cases of the Swift enum PixelLayout, which defines
// them. Alpha is straight unless premultiplied.
typedef enum imgc_layout {
  IMGC_LAYOUT_RGBA = 0,
  IMGC_LAYOUT_RGBA_PREMULTIPLIED = 1,
  IMGC_LAYOUT_BGRA = 2,
  IMGC_LAYOUT_BGRA_PREMULTIPLIED = 3,
  IMGC_LAYOUT_RGB = 4,
  IMGC_LAYOUT_BGR = 5,
  IMGC_LAYOUT_GRAY = 6,
  IMGC_LAYOUT_GRAY_ALPHA = 7,
} imgc_layout;

// Converts rows of RGBA8 to `layout`; the padding of the destination is not written. With a layout
// of 4 bytes per pixel, dst may equal src if the strides are equal.
void imgc_layout_export(uint8_t *dst, size_t dst_stride, const uint8_t *src, size_t src_stride,
                        size_t width, size_t height, imgc_layout layout);
// Converts rows of `layout` to RGBA8 rows without padding.
void imgc_layout_import(uint8_t *dst, const uint8_t *src, size_t src_stride, size_t width,
                        size_t height, imgc_layout layout);

// The operators of Porter and Duff (Compositing Digital Images, 1984): the cases of the Swift enum
// CompositeOperator.
typedef enum imgc_operator {
  IMGC_OPERATOR_CLEAR = 0,
  IMGC_OPERATOR_SOURCE = 1,
  IMGC_OPERATOR_DESTINATION = 2,
  IMGC_OPERATOR_SOURCE_OVER = 3,
  IMGC_OPERATOR_DESTINATION_OVER = 4,
  IMGC_OPERATOR_SOURCE_IN = 5,
  IMGC_OPERATOR_DESTINATION_IN = 6,
  IMGC_OPERATOR_SOURCE_OUT = 7,
  IMGC_OPERATOR_DESTINATION_OUT = 8,
  IMGC_OPERATOR_SOURCE_ATOP = 9,
  IMGC_OPERATOR_DESTINATION_ATOP = 10,
  IMGC_OPERATOR_XOR = 11,
} imgc_operator;
// Composites src with dst, both with straight alpha; `opacity`, 0...1, scales the alpha of src. A
// result with alpha 0 is transparent black; but an operator that shows dst where src is transparent
// leaves such a pixel of dst unchanged. src does not overlap dst.
void imgc_row_composite(uint8_t *dst, const uint8_t *src, size_t n, imgc_operator operation,
                        float opacity);

#ifdef __cplusplus
}
#endif
#endif
