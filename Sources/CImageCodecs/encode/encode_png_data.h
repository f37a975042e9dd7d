// Chunks of an encoded PNG, and its image data.

#ifndef IMGC_ENCODE_PNG_DATA_H
#define IMGC_ENCODE_PNG_DATA_H

#include "encode/encode_png_rows.h"

// imgc_png_chunk_begin starts a chunk; after the caller has appended the data to the output,
// imgc_png_chunk_end writes length and CRC. imgc_png_chunk writes a complete chunk. These functions
// return false when memory is exhausted.
bool imgc_png_chunk_begin(imgc_output *output, const char type[4], size_t *start);
bool imgc_png_chunk_end(imgc_output *output, size_t start);
bool imgc_png_chunk(imgc_output *output, const char type[4], const uint8_t *data, size_t size);

// Parameters of imgc_png_data_write, which appends the compressed rows of `image` as IDAT chunks,
// or, when `sequence` is not NULL, as fdAT chunks with increasing sequence numbers.
typedef struct imgc_png_data {
  const imgc_image *image;
  imgc_png_row_encoder *row_encoder;
  uint8_t level;
  uint32_t *sequence;
  imgc_cancel *cancel;
  imgc_output *output;
  imgc_report *report;
} imgc_png_data;
imgc_status imgc_png_data_write(const imgc_png_data *data);

#endif
