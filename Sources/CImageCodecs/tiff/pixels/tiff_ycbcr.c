// YCbCr without JPEG compression: TIFF 6.0, section 21.

#include "tiff/pixels/tiff_ycbcr.h"
#include "core/report.h"

#include <stdlib.h>

// Rejects values that TIFFYCbCrToRGBInit cannot convert: it divides by the green coefficient and
// casts the levels to int. The comparisons reject NaN too.
static bool usable(const float *luma, const float *levels) {
  if (!luma || !levels || !(luma[1] > 0.001f)) return false;
  for (int i = 0; i < 3; i++)
    if (!(luma[i] > -100 && luma[i] < 100)) return false;
  for (int i = 0; i < 6; i++)
    if (!(levels[i] > -1e6f && levels[i] < 1e6f)) return false;
  return true;
}

TIFFYCbCrToRGB *tiff_ycbcr_create(tiff_file *file, imgc_report *report) {
  // TIFF 6.0 defaults: CCIR 601-1, full range.
  float default_luma[3] = {0.299f, 0.587f, 0.114f};
  float default_levels[6] = {0, 255, 128, 255, 128, 255};
  float *luma = NULL, *levels = NULL;
  TIFFGetFieldDefaulted(file->tif, TIFFTAG_YCBCRCOEFFICIENTS, &luma);
  TIFFGetFieldDefaulted(file->tif, TIFFTAG_REFERENCEBLACKWHITE, &levels);
  if (!usable(luma, levels)) {
    imgc_warn(report, IMGC_WARN_TAG);
    luma = default_luma, levels = default_levels;
  }
  // TIFFYCbCrToRGBInit requires memory for its tables after the struct, which tiffio.h does not
  // document: a clamp table of 4 * 256 bytes, two tables of 256 int and three of 256 int32_t.
  size_t size = (sizeof(TIFFYCbCrToRGB) + sizeof(long) - 1) / sizeof(long) * sizeof(long);
  size += 4 * 256 + 2 * 256 * sizeof(int) + 3 * 256 * sizeof(int32_t);
  TIFFYCbCrToRGB *tables = malloc(size);
  if (!tables) {
    imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
  } else if (TIFFYCbCrToRGBInit(tables, luma, levels) < 0) {
    imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "tiff: the YCbCr coefficients are out of range");
    free(tables);
    tables = NULL;
  }
  return tables;
}

static uint8_t clamp(int64_t v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

// Has the same result as TIFFYCbCrtoRGB for each pixel, but reads the chroma tables once per block.
void tiff_ycbcr_row(const TIFFYCbCrToRGB *t, uint8_t *dst, const uint8_t *blocks, unsigned sub_x,
                    unsigned sub_y, uint32_t line, uint32_t n) {
  size_t block = sub_x * sub_y + 2;
  const uint8_t *luma = blocks + line * sub_x, *chroma = blocks + sub_x * sub_y;
  for (uint32_t i = 0; i < n; luma += block, chroma += block) {
    int64_t red = t->Cr_r_tab[chroma[1]], blue = t->Cb_b_tab[chroma[0]];
    int64_t green = ((int64_t)t->Cb_g_tab[chroma[0]] + t->Cr_g_tab[chroma[1]]) >> 16;
    for (unsigned k = 0; k < sub_x && i < n; k++, i++, dst += 4) {
      int64_t y = t->Y_tab[luma[k]];
      dst[0] = clamp(y + red), dst[1] = clamp(y + green), dst[2] = clamp(y + blue), dst[3] = 255;
    }
  }
}
