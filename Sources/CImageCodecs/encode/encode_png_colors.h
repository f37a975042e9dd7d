// Pixel storage of an encoded PNG: colour type, depth and palette.

#ifndef IMGC_ENCODE_PNG_COLORS_H
#define IMGC_ENCODE_PNG_COLORS_H

#include "encode/encode.h"
#include "png/png_format.h"

enum { IMGC_PNG_PALETTE = 256, IMGC_PNG_SLOTS = 1024 };

// The set of distinct pixels, R in the lowest byte, if there are at most 256.
typedef struct imgc_png_palette {
  uint32_t count; // IMGC_PNG_PALETTE + 1 if there are more
  uint32_t colors[IMGC_PNG_PALETTE];
  uint16_t slots[IMGC_PNG_SLOTS]; // index of the colour + 1; 0: free
} imgc_png_palette;

// Pixel format of a PNG (PNG, third edition, 11.2.1).
typedef struct imgc_png_layout {
  uint8_t color_type; // IMGC_PNG_COLOR_...
  uint8_t bit_depth;  // 1, 2, 4, 8
} imgc_png_layout;

void imgc_png_palette_add(imgc_png_palette *palette, const uint8_t *rgba, size_t pixel_count);
// Returns the index of a colour that was added.
uint8_t imgc_png_palette_index(const imgc_png_palette *palette, uint32_t color);
// Sorts the colours so that translucent ones are first.
void imgc_png_palette_sort(imgc_png_palette *palette);
// Returns the number of translucent colours at the start of a sorted palette.
uint32_t imgc_png_palette_translucent_count(const imgc_png_palette *palette);

// Returns the lossless layout with the fewest bytes before compression, for `pixel_count` pixels.
imgc_png_layout imgc_png_layout_for(const imgc_png_palette *palette,
                                    const imgc_pixel_statistics *statistics, uint64_t pixel_count);
// Returns the bytes of a row without its filter byte.
uint64_t imgc_png_layout_row_bytes(imgc_png_layout layout, uint32_t width);

#endif
