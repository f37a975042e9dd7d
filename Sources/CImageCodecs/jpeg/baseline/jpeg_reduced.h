// Inverse DCT of a block to 1 x 1, 2 x 2 or 4 x 4 samples, and conversion of samples to RGBA8. For
// coefficients from -2,048 to 2,047 the results equal those of libjpeg-turbo with JDCT_ISLOW.

#ifndef IMGC_JPEG_REDUCED_H
#define IMGC_JPEG_REDUCED_H

#include <stddef.h>
#include <stdint.h>

// Writes size x size samples; `size` is 1, 2 or 4.
void imgc_jpeg_reduce(uint8_t *dst, size_t stride, const int16_t block[64], unsigned size);
// Writes size x size samples of a block in which only DC is not zero.
void imgc_jpeg_reduce_flat(uint8_t *dst, size_t stride, int16_t dc, unsigned size);

// Converts n YCbCr pixels to RGBA8.
void imgc_jpeg_row_rgba(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                        size_t n);

#endif
