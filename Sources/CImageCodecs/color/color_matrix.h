// RGB profiles that are three curves and a matrix, without lcms2: its general path takes 20 ns a
// pixel. And CIE L*a*b*, which ends in the same way.

#ifndef IMGC_COLOR_MATRIX_H
#define IMGC_COLOR_MATRIX_H

#include "color/color_profile.h"

// Steps of linear light in the table that ends at 8-bit sRGB; enough for differences of at most 1
// to exact arithmetic, where the curve is steepest (12.92 * 255 / 8191 = 0.4).
enum { IMGC_LINEAR_STEPS = 8192 };

typedef float imgc_float4 __attribute__((vector_size(16)));

typedef struct imgc_matrix {
  imgc_float4 light[3][256]; // what a sample adds to linear sRGB, in steps
  uint8_t encoded[IMGC_LINEAR_STEPS];
} imgc_matrix;

// 8-bit sRGB of i / (IMGC_LINEAR_STEPS - 1).
void imgc_fill_encoded(uint8_t encoded[IMGC_LINEAR_STEPS]);
// XYZ relative to D50 to linear sRGB, from lcms2's sRGB profile.
bool imgc_xyz_to_srgb(cmsHPROFILE srgb, double matrix[3][3]);

// False when the profile is of another kind.
bool imgc_matrix_make(imgc_matrix *matrix, cmsHPROFILE profile, cmsHPROFILE srgb);
// n RGBA8 pixels in place; alpha stays.
void imgc_matrix_row(const imgc_matrix *matrix, uint8_t *pixels, size_t n);

#endif
