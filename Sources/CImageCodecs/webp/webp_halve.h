// Conversion of two rows of a lossy image to one RGBA row of half the size.

#ifndef IMGC_WEBP_HALVE_H
#define IMGC_WEBP_HALVE_H

#include <stddef.h>
#include <stdint.h>

// Two rows of luma, and the row of chroma that both have.
typedef struct imgc_webp_row_pair {
  const uint8_t *luma[2]; // equal for the last row of an image with an odd height
  const uint8_t *u, *v;   // (width + 1) / 2 samples
} imgc_webp_row_pair;

// Converts to (width + 1) / 2 opaque RGBA8 pixels. Each has the mean luma of 2 x 2 pixels, and the
// chroma sample of these pixels: chroma samples are in the middle of them, so nothing is
// interpolated.
void imgc_webp_halve(uint8_t *dst, const imgc_webp_row_pair *rows, size_t width);

#endif
