// Filtered rows of an encoded PNG.

#ifndef IMGC_ENCODE_PNG_ROWS_H
#define IMGC_ENCODE_PNG_ROWS_H

#include "CImageCodecs/encode_png.h"
#include "encode/encode_png_colors.h"

// Row filter of one image, applied row by row.
typedef struct imgc_png_row_encoder {
  imgc_png_layout layout;
  const imgc_png_palette *palette;
  uint8_t filter;      // 0...5 of imgc_png_filter
  size_t row_size;     // bytes of a row without its filter byte
  uint32_t pixel_size; // bytes from a sample to that of the previous pixel; at least 1
  uint8_t *memory;
  uint8_t *current, *previous; // samples, after zero padding
  uint8_t *candidates[5];      // filter byte and row, per filter type; one buffer if not adaptive
} imgc_png_row_encoder;

bool imgc_png_row_encoder_init(imgc_png_row_encoder *row_encoder, uint32_t width);
void imgc_png_row_encoder_free(imgc_png_row_encoder *row_encoder);
// Returns the next row, row_size + 1 bytes, valid until the next call.
const uint8_t *imgc_png_row_encoder_next(imgc_png_row_encoder *row_encoder, const uint8_t *rgba,
                                         size_t width);

#endif
