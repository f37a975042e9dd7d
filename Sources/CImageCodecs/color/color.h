// Colour work for the codecs, through lcms2.

#ifndef IMGC_COLOR_H
#define IMGC_COLOR_H

#include "CImageCodecs.h"

// CMYK samples, as the codec has them (JPEG: inverted), through a CMYK transform to opaque RGBA8.
// n counts pixels; the transform was made for the same kind of codec.
void imgc_transform_cmyk_row(const imgc_transform *transform, uint8_t *dst, const uint8_t *src,
                             size_t n);

// CIE L*a*b* (D50) to sRGB, for TIFF. One object a decode; not shared between threads.
typedef struct imgc_lab imgc_lab;
imgc_lab *imgc_lab_create(void); // NULL: out of memory
void imgc_lab_destroy(imgc_lab *lab);
// L 0...100, a and b about -128...127, as floats, 3 a pixel; dst is opaque RGBA8.
void imgc_lab_row(imgc_lab *lab, uint8_t *dst, const float *src, size_t n);

#endif
