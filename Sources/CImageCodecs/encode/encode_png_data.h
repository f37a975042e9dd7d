// Chunks of a PNG that is encoded, and its image data in them.

#ifndef IMGC_ENCODE_PNG_DATA_H
#define IMGC_ENCODE_PNG_DATA_H

#include "encode/encode_png_rows.h"

// A chunk is begun, its data appended to the output, and ended, which writes length and CRC.
// False without memory.
bool imgc_png_chunk_begin(imgc_output *output, const char type[4], size_t *start);
bool imgc_png_chunk_end(imgc_output *output, size_t start);
bool imgc_png_chunk(imgc_output *output, const char type[4], const uint8_t *data, size_t size);

// Appends the compressed rows of `picture` as IDAT chunks, or as fdAT chunks that count up
// `sequence` when that is not NULL.
typedef struct imgc_png_data {
  const imgc_picture *picture;
  imgc_png_lines *lines;
  uint8_t level;
  uint32_t *sequence;
  imgc_cancel *cancel;
  imgc_output *output;
  imgc_report *report;
} imgc_png_data;
imgc_status imgc_png_data_write(const imgc_png_data *data);

#endif
