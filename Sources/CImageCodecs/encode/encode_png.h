// What the files of the PNG encoder share: encode_png_colors.c decides how pixels are stored,
// encode_png_rows.c makes filtered rows of them, encode_png_data.c compresses those into chunks,
// encode_png.c writes everything around them.

#ifndef IMGC_ENCODE_PNG_H
#define IMGC_ENCODE_PNG_H

#include "encode/encode.h"

// ---------------------------------------------------------------- colours

enum { IMGC_PNG_PALETTE = 256, IMGC_PNG_SLOTS = 1024 };

// The distinct pixels, R in the lowest byte, while there are at most 256 of them.
typedef struct imgc_png_palette {
  uint32_t count; // IMGC_PNG_PALETTE + 1 once there are more
  uint32_t colors[IMGC_PNG_PALETTE];
  uint16_t slots[IMGC_PNG_SLOTS]; // index of the colour + 1; 0: free
} imgc_png_palette;

// How pixels are stored (PNG specification, section 11.2.2).
typedef struct imgc_png_layout {
  uint8_t color_type; // 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA
  uint8_t bit_depth;  // 1, 2, 4, 8
} imgc_png_layout;

void imgc_png_palette_add(imgc_png_palette *palette, const uint8_t *rgba, size_t pixel_count);
// The index of a colour that was added.
uint8_t imgc_png_palette_index(const imgc_png_palette *palette, uint32_t color);
// Orders the colours so that those with alpha come first.
void imgc_png_palette_sort(imgc_png_palette *palette);
// Colours from the start of a sorted palette that are not opaque.
uint32_t imgc_png_palette_alphas(const imgc_png_palette *palette);

// The layout of the fewest bytes before compression that loses nothing, for so many pixels.
imgc_png_layout imgc_png_layout_for(const imgc_png_palette *palette, const imgc_pixel_facts *facts,
                                    uint64_t pixel_count);
// Bytes of a row without its filter byte.
uint64_t imgc_png_layout_row(imgc_png_layout layout, uint32_t width);

// ---------------------------------------------------------------- rows

// Rows of one picture, filtered one after the other.
typedef struct imgc_png_lines {
  imgc_png_layout layout;
  const imgc_png_palette *palette;
  uint8_t filter;      // 0...5 of imgc_png_filter
  size_t row_size;     // without the filter byte
  uint32_t pixel_size; // bytes from a sample to the same one of the pixel before; at least 1
  uint8_t *memory;
  uint8_t *current, *previous; // samples, with zeros in front
  uint8_t *candidates[5];      // filter byte and row; of `filter` alone unless adaptive
} imgc_png_lines;

bool imgc_png_lines_begin(imgc_png_lines *lines, uint32_t width);
void imgc_png_lines_end(imgc_png_lines *lines);
// The next row, row_size + 1 bytes, valid until the next call.
const uint8_t *imgc_png_lines_next(imgc_png_lines *lines, const uint8_t *rgba, size_t width);

// ---------------------------------------------------------------- chunks

// A chunk is begun, its data appended to the output, and ended, which writes length and CRC.
// False without memory.
bool imgc_png_chunk_begin(imgc_output *output, const char type[4], size_t *start);
bool imgc_png_chunk_end(imgc_output *output, size_t start);
bool imgc_png_chunk(imgc_output *output, const char type[4], const uint8_t *data, size_t size);

static inline void imgc_put32(uint8_t *p, uint32_t value) {
  p[0] = (uint8_t)(value >> 24), p[1] = (uint8_t)(value >> 16);
  p[2] = (uint8_t)(value >> 8), p[3] = (uint8_t)value;
}

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
