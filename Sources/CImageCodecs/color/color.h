// Colour conversion for the codecs, using lcms2.

#ifndef IMGC_COLOR_H
#define IMGC_COLOR_H

#include "CImageCodecs/request.h"

// Converts a row of CMYK samples, as the codec decodes them (JPEG: inverted), to opaque RGBA8. n is
// a number of pixels. The transform must have been created for a header of the format that the
// codec decodes.
void imgc_transform_cmyk_row(const imgc_transform *transform, uint8_t *dst, const uint8_t *src,
                             size_t n);

// Converter from CIE L*a*b* (D50) to sRGB, for TIFF. Not thread-safe: create one converter per
// decode.
typedef struct imgc_lab imgc_lab;
imgc_lab *imgc_lab_create(void); // NULL: out of memory
void imgc_lab_destroy(imgc_lab *lab);
// Converts n pixels: L 0...100, a and b about -128...127, 3 floats per pixel. dst is opaque RGBA8.
void imgc_lab_row(imgc_lab *lab, uint8_t *dst, const float *src, size_t n);

#endif
