// CIE L*a*b* (D50) to sRGB: CIE 15, and the matrix of the sRGB profile.

#include "color/color.h"
#include "color/color_matrix.h"

#include <stdlib.h>

struct imgc_lab {
  float matrix[3][3]; // XYZ relative to white to linear sRGB * (IMGC_LINEAR_STEPS - 1)
  uint8_t encoded[IMGC_LINEAR_STEPS];
};

imgc_lab *imgc_lab_create(void) {
  imgc_lab *lab = malloc(sizeof *lab);
  cmsContext context = imgc_color_context();
  cmsHPROFILE srgb = context ? cmsCreate_sRGBProfileTHR(context) : NULL;
  double matrix[3][3];
  bool ok = lab && srgb && imgc_xyz_to_srgb(srgb, matrix);
  if (srgb) cmsCloseProfile(srgb);
  if (context) cmsDeleteContext(context);
  if (!ok) {
    free(lab);
    return NULL;
  }
  const cmsCIEXYZ *white = cmsD50_XYZ();
  const double scale[3] = {white->X, white->Y, white->Z};
  for (int i = 0; i < 9; i++)
    lab->matrix[i / 3][i % 3] =
        (float)(matrix[i / 3][i % 3] * scale[i % 3] * (IMGC_LINEAR_STEPS - 1));
  imgc_fill_encoded(lab->encoded);
  return lab;
}

void imgc_lab_destroy(imgc_lab *lab) { free(lab); }

static float cube(float t) {
  return t > 24.0f / 116 ? t * t * t : (t - 16.0f / 116) * (108.0f / 841);
}

void imgc_lab_row(imgc_lab *lab, uint8_t *dst, const float *src, size_t n) {
  for (; n > 0; n--, src += 3, dst += 4) {
    float y = (src[0] + 16) / 116;
    const float xyz[3] = {cube(y + src[1] / 500), cube(y), cube(y - src[2] / 200)};
    for (int i = 0; i < 3; i++) {
      const float *m = lab->matrix[i];
      float v = m[0] * xyz[0] + m[1] * xyz[1] + m[2] * xyz[2] + 0.5f;
      if (!(v > 0)) v = 0; // this condition is true for NaN too
      if (v > IMGC_LINEAR_STEPS - 1) v = IMGC_LINEAR_STEPS - 1;
      dst[i] = lab->encoded[(int)v];
    }
    dst[3] = 255;
  }
}
