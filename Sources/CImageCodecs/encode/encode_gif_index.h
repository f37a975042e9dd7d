// Mapping of pixels to the indices of a palette, with or without dithering.

#ifndef IMGC_ENCODE_GIF_INDEX_H
#define IMGC_ENCODE_GIF_INDEX_H

#include "encode/encode_gif_palette.h"

// Returns the nearest colour of a palette by squared distance in RGB; of equal distances, the first
// one. 1.3 MB.
typedef struct imgc_gif_map imgc_gif_map;

imgc_gif_map *imgc_gif_map_create(void); // NULL: out of memory
void imgc_gif_map_destroy(imgc_gif_map *map);
// Sets the palette, which has at least one colour.
void imgc_gif_map_set(imgc_gif_map *map, const imgc_png_palette *palette);
uint8_t imgc_gif_map_nearest(imgc_gif_map *map, unsigned red, unsigned green, unsigned blue);

// Converts the rows of a rectangle from the top.
typedef struct imgc_gif_indexer {
  const imgc_png_palette *exact; // contains all pixels, which are then not dithered; or NULL
  imgc_gif_map *map;             // if `exact` is NULL
  uint8_t dither;                // imgc_gif_dither
  uint8_t undrawn;               // index of pixels that are not drawn
  uint32_t x, y, width;          // left column, next row and width on the canvas, in pixels
  int32_t amplitude;             // ordered dither: half of the range of the offsets, times 64
  int16_t *errors;               // Floyd-Steinberg: a row of width + 2 pixels, times 16
} imgc_gif_indexer;

// Returns the bytes of `errors` that the caller allocates for this width.
size_t imgc_gif_indexer_error_bytes(uint32_t width);
// Prepares an indexer whose fields except `amplitude` are set.
void imgc_gif_indexer_start(imgc_gif_indexer *indexer);
// Converts the `width` pixels of the next row.
void imgc_gif_indexer_row(imgc_gif_indexer *indexer, const uint32_t *pixels, uint8_t *indices);

#endif
