// RGB profiles of three tone curves and a matrix, converted without lcms2, whose general conversion
// takes 20 ns per pixel. The conversion of CIE L*a*b* uses the table from linear light to sRGB too.

#ifndef IMGC_COLOR_MATRIX_H
#define IMGC_COLOR_MATRIX_H

#include "color/color_profile.h"

// Steps of linear light in the table to 8-bit sRGB. With this number a result differs from exact
// arithmetic by at most 1, even where the curve is steepest (12.92 * 255 / 8191 = 0.4 per step).
enum { IMGC_LINEAR_STEPS = 8192 };

typedef float imgc_float4 __attribute__((vector_size(16)));

typedef struct imgc_matrix {
  imgc_float4 light[3][256]; // contribution of a sample to linear sRGB, in steps
  uint8_t encoded[IMGC_LINEAR_STEPS];
} imgc_matrix;

// Fills the table: entry i is the 8-bit sRGB value of i / (IMGC_LINEAR_STEPS - 1).
void imgc_fill_encoded(uint8_t encoded[IMGC_LINEAR_STEPS]);
// Computes the matrix that converts XYZ relative to D50 to linear sRGB, by inverting the matrix of
// lcms2's sRGB profile.
bool imgc_xyz_to_srgb(cmsHPROFILE srgb, double matrix[3][3]);

// Returns false when the profile is not a matrix profile.
bool imgc_matrix_init(imgc_matrix *matrix, cmsHPROFILE profile, cmsHPROFILE srgb);
// Converts n RGBA8 pixels in place; alpha is unchanged.
void imgc_matrix_row(const imgc_matrix *matrix, uint8_t *pixels, size_t n);

#endif
