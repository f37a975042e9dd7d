// Setup of a converter: tables and row buffers.

#include <stdlib.h>

#include "core/report.h"
#include "tiff/pixels/tiff_tables.h"
#include "tiff/pixels/tiff_ycbcr.h"

// Returns true when samples must not be reduced to 8 bits before the colour arithmetic, which would
// lose precision.
static bool is_deep(const tiff_converter *c) {
  const tiff_properties *f = c->properties;
  if (f->kind == TIFF_KIND_CMYK) return !c->cmyk && (f->bits > 8 || f->alpha >= 0);
  return f->bits > 8 && f->associated && (f->kind == TIFF_KIND_GRAY || f->kind == TIFF_KIND_RGB);
}

// Colour maps are 16-bit by TIFF 6.0, but some writers fill them with 8-bit values. 16-bit values
// are truncated to 8 bits, not rounded, as in libtiff, Pillow, libvips and OpenCV.
static imgc_status fill_palette(tiff_converter *c, TIFF *tif, imgc_report *report) {
  uint16_t *r, *g, *b;
  if (!TIFFGetField(tif, TIFFTAG_COLORMAP, &r, &g, &b))
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "tiff: the colour map is missing");
  uint32_t entries = 1u << c->properties->bits;
  bool wide = false;
  for (uint32_t i = 0; i < entries; i++) wide |= r[i] > 255 || g[i] > 255 || b[i] > 255;
  for (uint32_t i = 0; i < entries; i++) {
    uint32_t v[3] = {r[i], g[i], b[i]};
    for (int k = 0; k < 3 && wide; k++) v[k] >>= 8;
    c->palette[i] = tiff_pixel(v[0], v[1], v[2]);
  }
  return IMGC_OK;
}

// For packed rows the table is indexed by the stored value, otherwise by the value reduced to 8
// bits.
static void fill_grays(tiff_converter *c) {
  uint32_t max = tiff_is_packed(c->properties) ? (1u << c->properties->bits) - 1 : 255;
  for (uint32_t i = 0; i <= max; i++) {
    uint32_t v = i * 255 / max;
    if (c->properties->inverted) v = 255 - v;
    c->palette[i] = tiff_pixel(v, v, v);
  }
}

static imgc_status make_tables(tiff_converter *c, tiff_file *file, imgc_report *report) {
  const tiff_properties *f = c->properties;
  // libtiff's rows have the width of a tile.
  size_t samples = (size_t)f->tile_width * (f->separate ? f->planes : f->samples);
  size_t colors = (size_t)f->tile_width * (f->colors + 1u);
  size_t entries = f->kind == TIFF_KIND_PALETTE && f->bits > 8 ? (size_t)1 << f->bits : 256;
  c->palette = calloc(entries, sizeof *c->palette);
  c->fixed = malloc((size_t)f->unit_bytes + 8);
  c->wide = malloc(samples * (f->kind == TIFF_KIND_PALETTE ? 2 : 1) + 8);
  c->narrow = malloc(colors + 8);
  if (f->kind == TIFF_KIND_LAB) {
    c->floats = malloc((size_t)f->tile_width * 3 * sizeof *c->floats);
    c->lab = imgc_lab_create();
  }
  if (is_deep(c)) {
    c->deep = malloc((samples + colors) * sizeof *c->deep);
    if (!c->deep)
      return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory for a row");
  }
  if (!c->palette || !c->fixed || !c->wide || !c->narrow ||
      (f->kind == TIFF_KIND_LAB && (!c->lab || !c->floats)))
    return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory for a row");
  if (f->kind == TIFF_KIND_PALETTE) return fill_palette(c, file->tif, report);
  if (f->kind == TIFF_KIND_YCBCR) c->ycbcr = tiff_ycbcr_create(file, report);
  if (f->kind == TIFF_KIND_GRAY) fill_grays(c);
  return report->status;
}

tiff_converter *tiff_converter_create(const imgc_request *request, tiff_file *file,
                                      const tiff_properties *properties, imgc_report *report) {
  tiff_converter *c = calloc(1, sizeof *c);
  if (!c) {
    imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
    return NULL;
  }
  c->properties = properties;
  c->cmyk = request->cmyk_transform;
  if (make_tables(c, file, report)) {
    tiff_converter_destroy(c);
    return NULL;
  }
  return c;
}

void tiff_converter_destroy(tiff_converter *c) {
  if (!c) return;
  free(c->ycbcr);
  imgc_lab_destroy(c->lab);
  free(c->palette);
  free(c->fixed);
  free(c->wide);
  free(c->narrow);
  free(c->deep);
  free(c->floats);
  free(c);
}
