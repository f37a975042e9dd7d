// Conversion of TIFF sample rows to RGBA8.

#ifndef IMGC_TIFF_CONVERT_H
#define IMGC_TIFF_CONVERT_H

#include "tiff/pixels/tiff_converter.h"

// Converts the first n pixels of row `y` of a tile, whose planes start at `planes`.
void tiff_convert_row(tiff_converter *converter, uint8_t *dst, const uint8_t *const *planes,
                      uint32_t y, uint32_t n);

#endif
