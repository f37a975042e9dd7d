// Conversion of TIFF sample rows to RGBA8: fast code for common layouts, and general code for all
// other layouts.

#include <string.h>

#include "core/copy.h"
#include "rows/rows.h"
#include "tiff/pixels/tiff_convert.h"
#include "tiff/pixels/tiff_deep.h"
#include "tiff/pixels/tiff_samples.h"
#include "tiff/pixels/tiff_ycbcr.h"

// Returns the row in native byte order and bit order, aligned for 16-bit samples. The result is a
// converted copy if the row was read directly from the file and is not in this form, otherwise
// `row`.
static const uint8_t *to_native_order(tiff_converter *c, const uint8_t *row) {
  const tiff_properties *f = c->properties;
  if (!f->direct || !(f->swapped || f->reversed || (f->bits == 16 && (uintptr_t)row % 2)))
    return row;
  tmsize_t size = (tmsize_t)f->unit_bytes;
  memcpy(c->fixed, row, (size_t)size);
  if (f->reversed) TIFFReverseBits(c->fixed, size);
  if (!f->swapped) return c->fixed;
  void *words = c->fixed;
  switch (f->bits) {
  case 16: TIFFSwabArrayOfShort(words, size / 2); break;
  case 24: TIFFSwabArrayOfTriples(words, size / 3); break;
  case 32: TIFFSwabArrayOfLong(words, size / 4); break;
  default: TIFFSwabArrayOfLong8(words, size / 8); break;
  }
  return c->fixed;
}

static void cmyk_row(const tiff_converter *c, uint8_t *dst, const uint8_t *src, size_t n) {
  if (c->cmyk)
    imgc_transform_cmyk_row(c->cmyk, dst, src, n);
  else
    imgc_row_cmyk8(dst, src, n);
}

// Converts layouts that a row kernel supports directly. Returns false for other layouts.
static bool convert_fast(const tiff_converter *c, uint8_t *dst, const uint8_t *src, size_t n) {
  const tiff_properties *f = c->properties;
  if (f->separate || f->format == SAMPLEFORMAT_IEEEFP) return false;
  bool mapped = f->kind == TIFF_KIND_GRAY || f->kind == TIFF_KIND_PALETTE;
  if (mapped && tiff_is_packed(f)) {
    imgc_row_index_packed(dst, src, n, f->bits, c->palette);
    return true;
  }
  if (f->bits != 8) return false;
  if (mapped && f->samples == 1) {
    if (f->kind == TIFF_KIND_GRAY && !f->inverted)
      imgc_row_gray8(dst, src, n);
    else
      imgc_row_index8(dst, src, n, c->palette);
  } else if (f->kind == TIFF_KIND_GRAY && f->samples == 2 && f->alpha == 1 && !f->inverted) {
    imgc_row_gray_alpha8(dst, src, n);
    if (f->associated) imgc_row_unpremultiply(dst, n);
  } else if (f->kind == TIFF_KIND_RGB && f->samples == 3) {
    imgc_row_rgb8(dst, src, n);
  } else if (f->kind == TIFF_KIND_RGB && f->samples == 4) {
    if (f->alpha < 0)
      imgc_row_rgbx8(dst, src, n);
    else
      memcpy(dst, src, n * 4);
    if (f->associated) imgc_row_unpremultiply(dst, n);
  } else if (f->kind == TIFF_KIND_CMYK && f->samples == 4) {
    cmyk_row(c, dst, src, n);
  } else {
    return false;
  }
  return true;
}

// Returns the row of the k-th plane, converted to 8-bit samples.
static const uint8_t *plane8(tiff_converter *c, const uint8_t *const *rows, uint16_t k, size_t n) {
  const tiff_properties *f = c->properties;
  if (f->bits == 8 && !(f->direct && f->reversed)) return rows[k];
  uint8_t *to = c->wide + n * k;
  tiff_reduce(to, to_native_order(c, rows[k]), n, f->bits, f->format);
  return to;
}

// Returns colours and alpha as interleaved 8-bit samples. They are in `wide` if the file's samples
// are interleaved and there are no other samples, otherwise in `narrow`.
static const uint8_t *gather(tiff_converter *c, const uint8_t *const *rows, size_t n) {
  const tiff_properties *f = c->properties;
  size_t used = f->alpha < 0 ? f->colors : f->colors + 1u;
  if (!f->separate) {
    tiff_reduce(c->wide, to_native_order(c, rows[0]), n * f->samples, f->bits, f->format);
    if (used == f->samples) return c->wide;
    for (size_t i = 0; i < n; i++)
      for (uint16_t k = 0; k < used; k++)
        c->narrow[i * used + k] = c->wide[i * f->samples + tiff_plane(f, k)];
    return c->narrow;
  }
  for (uint16_t k = 0; k < used; k++) {
    const uint8_t *plane = plane8(c, rows, k, n);
    for (size_t i = 0; i < n; i++) c->narrow[i * used + k] = plane[i];
  }
  return c->narrow;
}

// Writes 32-bit words, because compilers vectorize word stores here, but not byte stores.
static void interleave(uint8_t *restrict dst, const uint8_t *restrict r, const uint8_t *restrict g,
                       const uint8_t *restrict b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint32_t v = tiff_pixel(r[i], g[i], b[i]);
    imgc_copy(dst + i * 4, &v, sizeof v);
  }
}

// Converts planar RGB, the only common planar layout.
static void convert_planes(tiff_converter *c, uint8_t *dst, const uint8_t *const *rows, size_t n) {
  const tiff_properties *f = c->properties;
  const uint8_t *r = plane8(c, rows, 0, n), *g = plane8(c, rows, 1, n), *b = plane8(c, rows, 2, n);
  interleave(dst, r, g, b, n);
  if (f->alpha < 0) return;
  const uint8_t *a = plane8(c, rows, 3, n);
  for (size_t i = 0; i < n; i++) dst[i * 4 + 3] = a[i];
  if (f->associated) imgc_row_unpremultiply(dst, n);
}

// In CIELab a and b are signed (TIFF 6.0, section 23). In ICCLab 128 is added to a and b (ICC.1
// Lab8, and the legacy Lab16 of TIFF Technical Note "ICC L*a*b*").
static void lab_floats(const tiff_converter *c, const uint8_t *row, size_t k, size_t step,
                       size_t n) {
  const tiff_properties *f = c->properties;
  bool icc = f->photometric == PHOTOMETRIC_ICCLAB;
  for (size_t i = 0; i < n; i++) {
    float value;
    if (f->bits == 8) {
      uint8_t v = row[i * step];
      value = k == 0 ? (float)v * (100.0f / 255) : icc ? (float)v - 128 : (float)(int8_t)v;
    } else {
      uint16_t v;
      imgc_copy(&v, row + i * step * 2, sizeof v);
      value = k == 0 ? (float)v * (icc ? 100.0f / 65280 : 100.0f / 65535)
              : icc  ? (float)v / 256 - 128
                     : (float)(int16_t)v / 256;
    }
    c->floats[i * 3 + k] = value;
  }
}

static void convert_lab(tiff_converter *c, uint8_t *dst, const uint8_t *const *rows, size_t n) {
  const tiff_properties *f = c->properties;
  size_t sample = f->bits / 8u;
  const uint8_t *row = f->separate ? NULL : to_native_order(c, rows[0]);
  for (size_t k = 0; k < 3; k++) {
    if (f->separate)
      lab_floats(c, to_native_order(c, rows[k]), k, 1, n);
    else
      lab_floats(c, row + k * sample, k, f->samples, n);
  }
  imgc_lab_row(c->lab, dst, c->floats, n);
}

static void convert_palette(tiff_converter *c, uint8_t *dst, const uint8_t *row, size_t n) {
  const tiff_properties *f = c->properties;
  size_t step = f->separate ? 1 : f->samples;
  uint16_t *indices = (uint16_t *)(void *)c->wide;
  tiff_indices(indices, to_native_order(c, row), n * step, f->bits);
  for (size_t i = 0; i < n; i++) imgc_copy(dst + i * 4, &c->palette[indices[i * step]], 4);
}

static void convert_colors(tiff_converter *c, uint8_t *dst, const uint8_t *src, size_t n) {
  const tiff_properties *f = c->properties;
  size_t step = f->alpha < 0 ? f->colors : f->colors + 1u;
  switch (f->kind) {
  case TIFF_KIND_GRAY:
    if (step == 1) {
      imgc_row_index8(dst, src, n, c->palette);
      break;
    }
    for (size_t i = 0; i < n; i++) {
      uint8_t v = f->inverted ? (uint8_t)(255 - src[i * step]) : src[i * step];
      dst[i * 4] = dst[i * 4 + 1] = dst[i * 4 + 2] = v;
      dst[i * 4 + 3] = step > 1 ? src[i * step + 1] : 255;
    }
    break;
  case TIFF_KIND_RGB:
    if (step == 3)
      imgc_row_rgb8(dst, src, n);
    else
      memcpy(dst, src, n * 4);
    break;
  case TIFF_KIND_CMYK:
    if (step > 4)
      for (size_t i = 0; i < n; i++) memmove(c->narrow + i * 4, src + i * step, 4);
    cmyk_row(c, dst, step > 4 ? c->narrow : src, n);
    break;
  case TIFF_KIND_YCBCR:
    if (step > 3)
      for (size_t i = 0; i < n; i++) memmove(c->narrow + i * 3, src + i * step, 3);
    tiff_ycbcr_row(c->ycbcr, dst, step > 3 ? c->narrow : src, 1, 1, 0, (uint32_t)n);
    break;
  default: break;
  }
}

// Sets alpha after the conversion of the colours. Except for gray and RGB, alpha is read from the
// samples again, because the colour conversion may have overwritten `narrow`.
static void set_alpha(tiff_converter *c, uint8_t *dst, const uint8_t *const *rows, size_t n) {
  const tiff_properties *f = c->properties;
  if (f->alpha < 0) return;
  if (f->kind == TIFF_KIND_GRAY || f->kind == TIFF_KIND_RGB) {
    // convert_colors has set alpha
  } else if (f->separate) {
    tiff_reduce(c->wide, to_native_order(c, rows[f->colors]), n, f->bits, f->format);
    for (size_t i = 0; i < n; i++) dst[i * 4 + 3] = c->wide[i];
  } else {
    tiff_reduce(c->wide, to_native_order(c, rows[0]), n * f->samples, f->bits, f->format);
    for (size_t i = 0; i < n; i++) dst[i * 4 + 3] = c->wide[i * f->samples + (size_t)f->alpha];
  }
  if (f->associated) imgc_row_unpremultiply(dst, n);
}

// Converts colours and alpha at 16 bits. 16-bit CMYK is multiplied before the reduction to 8 bits,
// so that the pixels equal those of GraphicsMagick.
static void convert_deep(tiff_converter *c, uint8_t *dst, const uint8_t *const *rows, size_t n) {
  const tiff_properties *f = c->properties;
  size_t used = f->alpha < 0 ? f->colors : f->colors + 1u;
  size_t step = f->separate ? 1 : f->samples;
  uint16_t *row = c->deep, *src = c->deep + step * n;
  for (uint16_t k = 0; k < used; k++) {
    if (k == 0 || f->separate)
      tiff_widen_to_16(row, to_native_order(c, rows[k]), n * step, f->bits, f->format);
    size_t first = f->separate ? 0 : tiff_plane(f, k);
    for (size_t i = 0; i < n; i++) src[i * used + k] = row[i * step + first];
  }
  if (f->kind == TIFF_KIND_CMYK)
    tiff_deep_cmyk(dst, src, n, used, f->bits > 8);
  else
    tiff_deep_unpremultiply(dst, src, n, used, f->inverted);
  if (f->kind == TIFF_KIND_CMYK && f->associated) imgc_row_unpremultiply(dst, n);
}

void tiff_convert_row(tiff_converter *c, uint8_t *dst, const uint8_t *const *planes, uint32_t y,
                      uint32_t n) {
  const tiff_properties *f = c->properties;
  const uint8_t *rows[5];
  for (uint16_t k = 0; k < f->planes; k++) rows[k] = planes[k] + y / f->sub_y * f->unit_bytes;

  if (f->kind == TIFF_KIND_YCBCR && !f->separate && f->samples == 3) {
    tiff_ycbcr_row(c->ycbcr, dst, to_native_order(c, rows[0]), f->sub_x, f->sub_y, y % f->sub_y, n);
    return;
  }
  if (!f->separate && convert_fast(c, dst, f->reversed ? to_native_order(c, rows[0]) : rows[0], n))
    return;
  if (c->deep) {
    convert_deep(c, dst, rows, n);
    return;
  }
  if (f->separate && f->kind == TIFF_KIND_RGB) {
    convert_planes(c, dst, rows, n);
    return;
  }
  switch (f->kind) {
  case TIFF_KIND_LAB: convert_lab(c, dst, rows, n); break;
  case TIFF_KIND_PALETTE: convert_palette(c, dst, rows[0], n); break;
  default: convert_colors(c, dst, gather(c, rows, n), n); break;
  }
  set_alpha(c, dst, rows, n);
}
