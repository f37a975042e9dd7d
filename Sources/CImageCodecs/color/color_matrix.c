// RGB to sRGB with tone curves, a 3 x 3 matrix and the sRGB transfer function. The tables of the
// curves contain values that are already multiplied by the matrix.

#include "color/color_matrix.h"

#include <math.h>
#include <string.h>

typedef int32_t int4 __attribute__((vector_size(16)));

// Inverse of the sRGB transfer function (IEC 61966-2-1): the 8-bit value v is stored for all steps
// from the linear value of (v - 1/2) / 255 up to that of (v + 1/2) / 255. The loop over v calls pow
// at most 256 times; a loop over the steps would call it for nearly each of the 8,192 steps.
void imgc_fill_encoded(uint8_t encoded[IMGC_LINEAR_STEPS]) {
  int step = 0;
  for (int v = 0; v < 256; v++) {
    double e = (v + 0.5) / 255;
    double linear = e <= 0.04045 ? e / 12.92 : pow((e + 0.055) / 1.055, 2.4);
    int end = v == 255 ? IMGC_LINEAR_STEPS : (int)ceil(linear * (IMGC_LINEAR_STEPS - 1));
    while (step < end) encoded[step++] = (uint8_t)v;
  }
}

// Reads the matrix whose columns are the XYZ values of red, green and blue.
static bool read_colorants(cmsHPROFILE profile, double m[3][3]) {
  static const cmsTagSignature tags[3] = {cmsSigRedColorantTag, cmsSigGreenColorantTag,
                                          cmsSigBlueColorantTag};
  for (int i = 0; i < 3; i++) {
    const cmsCIEXYZ *xyz = cmsReadTag(profile, tags[i]);
    if (!xyz) return false;
    m[0][i] = xyz->X, m[1][i] = xyz->Y, m[2][i] = xyz->Z;
  }
  return true;
}

// Inverts a 3 x 3 matrix with its cofactors.
static bool invert(const double m[3][3], double out[3][3]) {
  double determinant = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      out[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  for (int j = 0; j < 3; j++) determinant += m[0][j] * out[j][0];
  if (!(fabs(determinant) > 1e-6)) return false;
  for (int i = 0; i < 9; i++) out[i / 3][i % 3] /= determinant;
  return true;
}

bool imgc_xyz_to_srgb(cmsHPROFILE srgb, double matrix[3][3]) {
  double m[3][3];
  return read_colorants(srgb, m) && invert((const double(*)[3])m, matrix);
}

bool imgc_matrix_init(imgc_matrix *matrix, cmsHPROFILE profile, cmsHPROFILE srgb) {
  static const cmsTagSignature curves[3] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  // Rejects profiles with AToB or DToB tables, which take precedence over curves, as in lcms2.
  if (!cmsIsMatrixShaper(profile) || cmsIsTag(profile, cmsSigAToB0Tag) ||
      cmsIsTag(profile, cmsSigDToB0Tag))
    return false;
  double to_xyz[3][3], to_srgb[3][3];
  if (!read_colorants(profile, to_xyz) || !imgc_xyz_to_srgb(srgb, to_srgb)) return false;
  memset(matrix->light, 0, sizeof matrix->light);
  for (int i = 0; i < 3; i++) {
    const cmsToneCurve *curve = cmsReadTag(profile, curves[i]);
    if (!curve) return false;
    for (int v = 0; v < 256; v++) {
      double linear = (double)cmsEvalToneCurveFloat(curve, (float)v / 255);
      for (int k = 0; k < 3; k++) {
        double coefficient = 0;
        for (int j = 0; j < 3; j++) coefficient += to_srgb[k][j] * to_xyz[j][i];
        // The sum of the three contributions is truncated to an integer. The contribution of red
        // includes 0.5, so the sum is rounded.
        matrix->light[i][v][k] =
            (float)(coefficient * linear * (IMGC_LINEAR_STEPS - 1) + (i == 0 ? 0.5 : 0));
      }
    }
  }
  imgc_fill_encoded(matrix->encoded);
  return true;
}

void imgc_matrix_row(const imgc_matrix *matrix, uint8_t *pixels, size_t n) {
  const float max = IMGC_LINEAR_STEPS - 1;
  const imgc_float4 zero = {0}, top = {max, max, max, max};
  const uint8_t *encoded = matrix->encoded;
  for (uint8_t *p = pixels; n > 0; n--, p += 4) {
    imgc_float4 v = matrix->light[0][p[0]] + matrix->light[1][p[1]] + matrix->light[2][p[2]];
    v = (imgc_float4)((int4)v & (v > zero)); // NaN also becomes 0
    int4 low = v < top;
    int4 step = __builtin_convertvector((imgc_float4)(((int4)v & low) | ((int4)top & ~low)), int4);
    p[0] = encoded[step[0]];
    p[1] = encoded[step[1]];
    p[2] = encoded[step[2]];
  }
}
