// Colour quantisation for GIF: at most 256 colours for the pixels of an image or of all frames.

#ifndef IMGC_ENCODE_GIF_PALETTE_H
#define IMGC_ENCODE_GIF_PALETTE_H

#include "encode/encode_png_colors.h"

enum { IMGC_GIF_COLORS = IMGC_PNG_PALETTE };

// Pixels of the GIF encoder are RGBA8 with R in the lowest byte. Alpha is 255; the value 0 is a
// pixel that is not drawn, because it is transparent or because the canvas already shows it.
enum { IMGC_GIF_NOT_DRAWN = 0 };

typedef struct imgc_gif_palette {
  imgc_png_palette set; // 0...256 opaque colours; imgc_png_palette_index is valid if exact
  bool is_exact;        // every pixel of the histogram is in `set`
} imgc_gif_palette;

// The colours of all pixels that were added: 5 kB for up to 256 colours, 2.9 MB for more.
typedef struct imgc_gif_histogram imgc_gif_histogram;

imgc_gif_histogram *imgc_gif_histogram_create(void); // NULL: out of memory
void imgc_gif_histogram_destroy(imgc_gif_histogram *histogram);
void imgc_gif_histogram_clear(imgc_gif_histogram *histogram);
// Adds pixels; those that are not drawn are ignored. Returns false when memory is exhausted.
bool imgc_gif_histogram_add(imgc_gif_histogram *histogram, const uint32_t *pixels, size_t count);
// Returns the number of distinct colours; IMGC_GIF_COLORS + 1 when there are more.
uint32_t imgc_gif_histogram_colors(const imgc_gif_histogram *histogram);

// Computes a palette of at most `max_colors` (1...256) colours: the colours themselves when there
// are no more than that, otherwise Wu's quantiser, refined by two iterations of Lloyd's algorithm.
// Returns false when memory is exhausted.
bool imgc_gif_palette_make(imgc_gif_histogram *histogram, uint32_t max_colors,
                           imgc_gif_palette *palette);

#endif
