// YCbCr to RGB with the coefficients and reference levels of a TIFF file.

#ifndef IMGC_TIFF_YCBCR_H
#define IMGC_TIFF_YCBCR_H

#include "tiff/page/tiff_properties.h"

// Creates the tables; NULL on failure (see the report). Release them with free().
TIFFYCbCrToRGB *tiff_ycbcr_create(tiff_file *file, imgc_report *report);

// Converts row `line` (below sub_y) of a row of blocks, each of sub_x * sub_y luma samples, Cb and
// Cr. Writes n opaque pixels.
void tiff_ycbcr_row(const TIFFYCbCrToRGB *tables, uint8_t *dst, const uint8_t *blocks,
                    unsigned sub_x, unsigned sub_y, uint32_t line, uint32_t n);

#endif
